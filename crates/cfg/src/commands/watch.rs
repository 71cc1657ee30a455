//! `cfg run watch`: shows the state of a run.

use std::{
    borrow::Cow,
    cmp::Reverse,
    collections::BTreeMap,
    ffi::OsStr,
    io::{self, Write as _},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use cfg_check::{CheckedCommand, Session};
use cfg_diag::{Severity, one_line};
use cfg_diagnose::{
    Component, Curve, Curves, Finding, LastWrite, Matcher, Measure, Process, ProcessState, Progress, RunContext, RunEnd,
    ScannedLog, Thresholds, conclude, mark_replaced, processes,
};
use cfg_launch::outputs::RunFolder;
use cfg_plan::Plan;
use cfg_project::Watch;
use cfg_report::{
    diagnosis::{DiagnosisReport, LogReport},
    resume::DiskReport,
    watch::{EvaluationReport, MeasuresReport, ProcessReport, WatchReport, WatchState, write_text},
};
use cfg_system::Program;

use super::{
    Listing,
    diagnose::{self, read::Reader},
    newest_run::newest_run,
    prediction::Prediction,
    resume,
};
use crate::{CommandResult, Outcome, args, context::Context, terminal};

/// The time for which a run that has failed may still write to its logs.
const LAST_WORDS: Duration = Duration::from_mins(2);

pub(crate) fn run(cx: &Context, words: &args::Watch) -> CommandResult {
    // A single log is a run of which there is nothing else.
    if !cx.system.is_folder(&words.run) && !cx.system.is_file(&words.run) {
        cx.complain(&format!("{}: no such file or directory", words.run.display()));
        return Ok(Outcome::Failed);
    }
    let session = cx.session();
    let Ok(target) = cx.stated_target() else { return Ok(Outcome::Failed) };
    let run = &newest_run(cx, &words.run);
    let path = words.started_with.clone().or_else(|| resume::left_config(cx, run));
    let config = match &path {
        None => None,
        Some(path) => match diagnose::against(cx, &session, path, target) {
            Some(config) => Some((path.clone(), config)),
            None => return Ok(Outcome::Failed),
        },
    };
    let around = path.as_deref().unwrap_or(run);
    let settings = session.projects().settings(around).settings.watch.clone();
    let config = config.as_ref().map(|(path, config)| (path.clone(), config));
    let prediction = predicted(&session, config.as_ref());
    let watched = Watched { cx, run, config, settings, prediction };
    let matcher = Matcher::new();
    let mut reader = Reader::new(&matcher, watched.thresholds());
    let mut before = None;
    loop {
        let (report, _) = watched.read(&mut reader);
        write(cx, &report)?;
        if let (Some(command), true) = (&words.exec, before != Some(report.state)) {
            watched.tell(command, report.state);
        }
        before = Some(report.state);
        if words.once || report.state.is_over() {
            return Ok(if report.state.is_wrong() || !report.findings.is_empty() { Outcome::Found } else { Outcome::Clean });
        }
        thread::sleep(Duration::from_secs(words.interval));
    }
}

fn write(cx: &Context, report: &WatchReport) -> io::Result<()> {
    let mut out = io::BufWriter::new(cx.out());
    match Listing::of(cx) {
        Listing::Text => write_text(&mut out, terminal::style(cx), report)?,
        listing => listing.write_one(&mut out, report)?,
    }
    out.flush()
}

/// A run that was read once.
pub(super) struct ReadRun {
    pub(super) report: WatchReport,
    /// Its measures by step.
    pub(super) curves: Curves,
    /// The limits of its measures.
    pub(super) thresholds: Thresholds,
    /// The learning rate of its steps by the schedule of its config.
    pub(super) schedule: Vec<(i64, f64)>,
}

fn predicted(session: &Session, config: Option<&(PathBuf, &CheckedCommand)>) -> Prediction {
    config.map(|(path, config)| Prediction::of(session, path, config)).unwrap_or_default()
}

/// Reads a run once.
pub(super) fn read_run(cx: &Context, run: &Path, config: Option<(PathBuf, &CheckedCommand)>, session: &Session) -> ReadRun {
    let around = config.as_ref().map_or(run, |(path, _)| path);
    let settings = session.projects().settings(around).settings.watch.clone();
    let prediction = predicted(session, config.as_ref());
    let watched = Watched { cx, run, config, settings, prediction };
    let (report, curves) = watched.read(&mut Reader::new(&Matcher::new(), watched.thresholds()));
    let schedule = watched.prediction.schedule(curves.of(Measure::LearningRate));
    ReadRun { report, thresholds: watched.thresholds(), schedule, curves }
}

/// The measures of a run by step, and its progress.
pub(super) fn measures(cx: &Context, run: &Path) -> (Curves, Progress) {
    let (curves, progress, _) = course(cx, run);
    (curves, progress)
}

/// The measures of a run by step, its progress, and how it ended.
pub(super) fn course(cx: &Context, run: &Path) -> (Curves, Progress, RunEnd) {
    let (logs, seen) = logs(cx, run, &mut Reader::new(&Matcher::new(), Thresholds::default()));
    let (curves, progress) = joined(&logs, &seen, true);
    let (_, end) = processes(&seen);
    (curves, progress, end)
}

/// What the logs of a run say about its newest attempt.
pub(super) struct Logged {
    /// The last step of its trainer, else of its orchestrator.
    pub(super) step: Option<u64>,
    /// How it ended.
    pub(super) end: RunEnd,
    /// If it failed, the name of the first finding, or what an unknown one says, and its line: `logs/trainer.log:42`.
    pub(super) reason: Option<(String, String)>,
}

/// Reads the logs of a run.
pub(super) fn logged(cx: &Context, run: &Path) -> Logged {
    let (logs, seen) = logs(cx, run, &mut Reader::new(&Matcher::new(), Thresholds::default()));
    let (_, progress) = joined(&logs, &seen, true);
    let step = progress.trainer_step.or(progress.orchestrator_step).and_then(|step| u64::try_from(step).ok());
    let (_, end) = processes(&seen);
    let findings = conclude(&seen, &RunContext { is_training: true, ..RunContext::default() });
    let reason = findings.iter().find(|finding| finding.symptom.severity == Severity::Error).and_then(|finding| {
        let seen = finding.sightings.first()?;
        // What is not known says it itself.
        let what = if finding.is_inferred() { one_line(&seen.first.text) } else { Cow::Borrowed(&*finding.symptom.name) };
        Some((what.into_owned(), format!("{}:{}", logs[seen.log].path, seen.first.line)))
    });
    Logged { step, reason: reason.filter(|_| end == RunEnd::Failed), end }
}

/// The logs and the file of metrics, with their contents. Files that can't be read now are tried again the next time.
fn logs(cx: &Context, run: &Path, reader: &mut Reader<'_>) -> (Vec<LogReport>, Vec<ScannedLog>) {
    reader.begin();
    let mut is_missing = false;
    let named = [run.to_owned()];
    let paths = diagnose::logs::of_run(cx, run, &mut is_missing);
    let is_replaced = diagnose::logs::replaced(&paths, &[]);
    let (logs, mut seen): (Vec<LogReport>, Vec<ScannedLog>) = paths
        .into_iter()
        .zip(is_replaced)
        .filter_map(|(path, is_replaced)| {
            let seen = reader.read(cx, &path, &named).ok()?;
            let log = LogReport { path: path.to_string_lossy().into_owned(), lines: seen.lines, bytes: seen.bytes };
            let modified = cx.system.own_status(&path).ok().and_then(|status| status.modified);
            Some((log, seen.replaced(is_replaced).modified(modified)))
        })
        .unzip();
    mark_replaced(&mut seen, &places(&logs), &[]);
    (logs, seen)
}

/// The paths of logs.
fn places(logs: &[LogReport]) -> Vec<&Path> {
    logs.iter().map(|log| Path::new(&log.path)).collect()
}

/// The measures of all logs together, attempt by attempt; steps that were run again count as the later attempt ran them. The progress is that of the
/// newest attempt; if it has none, with `any_attempt` that of an earlier one.
fn joined(logs: &[LogReport], seen: &[ScannedLog], any_attempt: bool) -> (Curves, Progress) {
    let mut attempts: BTreeMap<(u32, Reverse<usize>), (Curves, Progress)> = BTreeMap::new();
    // A file of metrics is exact, so it has priority over logs.
    let (metrics, texts): (Vec<_>, Vec<_>) =
        logs.iter().zip(seen).partition(|(log, _)| diagnose::is_metrics(Path::new(&log.path)));
    // Files outside the folders of attempts, such as the metrics, belong to all of them.
    let newest = seen.iter().filter_map(ScannedLog::attempt).max().unwrap_or(0);
    for (_, seen) in metrics.into_iter().chain(texts) {
        let launch = (seen.attempt().unwrap_or(newest), Reverse(seen.later_launches()));
        let (curves, progress) = attempts.entry(launch).or_default();
        curves.join(seen.curves());
        progress.join(seen.progress());
    }
    let (mut curves, mut progress) = (Curves::default(), Progress::default());
    for (_, (own, reached)) in attempts {
        curves.follow(&own);
        if !any_attempt || reached != Progress::default() {
            progress = reached;
        }
    }
    (curves, progress)
}

/// The speed is the median of this many newest steps.
const RECENT: usize = 21;

fn process_report(process: &Process) -> ProcessReport {
    ProcessReport { component: process.component.name(), state: process.state.name(), step: process.step }
}

/// The newest evaluation of an environment, beside the first one.
fn evaluation_report((environment, curve): (&str, &Curve)) -> Option<EvaluationReport> {
    let points = curve.points();
    let (&(step, reward), &first) = (points.last()?, points.first()?);
    let first = (first.0 != step).then_some(first);
    let environment = environment.to_owned();
    Some(EvaluationReport {
        environment,
        step,
        reward,
        first_step: first.map(|(step, _)| step),
        first_reward: first.map(|(_, reward)| reward),
    })
}

/// The run that is watched.
struct Watched<'a> {
    cx: &'a Context,
    run: &'a Path,
    config: Option<(PathBuf, &'a CheckedCommand)>,
    settings: Watch,
    /// What its config says about it in advance.
    prediction: Prediction,
}

impl Watched<'_> {
    /// Reads the run once; returns its measures by step as well.
    fn read(&self, reader: &mut Reader<'_>) -> (WatchReport, Curves) {
        let plan = self.plan();
        let folder = resume::folder(self.cx, self.run, plan.as_ref());
        let (logs, seen) = logs(self.cx, self.run, reader);
        let (curves, progress) = joined(&logs, &seen, false);
        let checked = self.config.as_ref().map(|(_, config)| &config.checked);
        let target = checked.filter(|checked| checked.is_stated()).map(|checked| checked.target.clone());
        let own = || self.cx.system.own_status(self.run).ok().filter(|_| self.cx.system.is_file(self.run))?.modified;
        let (since, last_line) = match LastWrite::of(&seen, folder.written.or_else(own)) {
            LastWrite::At(written) => (written.and_then(|written| self.cx.host().now().checked_sub(written)), None),
            LastWrite::Copied(line) => (None, Some(diagnose::clock(line))),
        };
        let point = target.as_ref().map(|target| target.point);
        let context = RunContext { point, is_training: true, expected: self.prediction.expected };
        let findings = conclude(&seen, &context);
        // A run that hangs does not end by itself.
        let hangs = findings.iter().any(|finding| finding.symptom.severity == Severity::Error && finding.is_inferred());
        // It may still go on.
        let is_error = |finding: &Finding| finding.symptom.severity == Severity::Error && !finding.ends_nothing();
        let has_errors = findings.iter().any(|finding| is_error(finding) && !finding.is_inferred());
        let config = self.config.as_ref().map(|(_, config)| *config);
        let DiagnosisReport { findings, .. } = diagnose::report(logs, target, None, &findings, config, None).harmless();
        let max_steps = plan.as_ref().and_then(|plan| plan.trainer.as_ref()?.max_steps.get());
        let step = match (progress.trainer_step, progress.orchestrator_step) {
            (Some(trainer), Some(orchestrator)) => Some(trainer.min(orchestrator)),
            (trainer, orchestrator) => trainer.or(orchestrator),
        };
        let (processes, end) = processes(&seen);
        // A run that left only metrics says nothing about its end. Its steps are counted from 1, or from 0 if there is a step 0.
        let has_words = !processes.is_empty();
        let first =
            Measure::ALL.into_iter().filter_map(|measure| curves.of(measure).points().first().map(|(step, _)| *step)).min();
        let last = max_steps.map(|max| if first == Some(0) { max - 1 } else { max });
        let is_done = !has_words && step.zip(last).is_some_and(|(step, last)| last > 0 && step >= last);
        let patience = self.patience(step.and(progress.step_seconds));
        let silence = Silence { since, is_long: since.is_some_and(|since| since >= patience) };
        let evaluates = |process: &Process| process.component == Component::Evaluation && process.state == ProcessState::Working;
        // An evaluation alone has no steps.
        let begun = step.or_else(|| processes.iter().any(evaluates).then_some(0));
        let state = state(end, is_done, silence, has_errors, findings.is_empty(), begun);
        let goes_on = !(hangs || state.is_over() || state == WatchState::Silent);
        #[expect(clippy::cast_precision_loss, reason = "steps of a run")]
        let left = step.zip(last).map(|(step, last)| last.saturating_sub(step).max(0) as f64);
        let attempt = seen.iter().filter_map(ScannedLog::attempt).max();
        let report = WatchReport {
            attempt,
            processes: processes.iter().map(process_report).collect(),
            run: self.run.display().to_string(),
            config: self.config.as_ref().map(|(path, _)| path.display().to_string()),
            target: checked.map(|checked| checked.target.name.clone()),
            state,
            step,
            max_steps,
            step_seconds: progress.step_seconds,
            remaining_seconds: left.zip(progress.step_seconds).filter(|_| goes_on).map(|(steps, seconds)| steps * seconds),
            silent_seconds: since.map(|since| since.as_secs()),
            last_line,
            measures: MeasuresReport {
                trainer_step: progress.trainer_step,
                orchestrator_step: progress.orchestrator_step,
                reward: progress.reward,
                entropy: progress.entropy,
                kl: progress.kl,
                gradient_norm: progress.norm,
                truncated: progress.truncated,
                no_signal: progress.no_signal,
                loss: progress.loss,
                mfu: progress.mfu,
                peak_memory: progress.peak_memory,
                learning_rate: progress.learning_rate,
                tokens_per_second: progress.trainer_step.and_then(|_| curves.of(Measure::TokensPerSecond).median(RECENT)),
                errors: progress.errors,
                off_policy: progress.off_policy,
                validation_loss: curves.of(Measure::ValidationLoss).points().last().map(|(_, loss)| *loss),
            },
            evaluations: curves.evaluations().filter_map(evaluation_report).collect(),
            disk: self.disk(plan.as_ref(), &folder, step),
            predicted: self.prediction.report(curves.of(Measure::LearningRate)),
            findings,
        };
        (report, curves)
    }

    /// The time without output after which a run is silent: what the settings say, else longer if its steps, or reading its weights, take that long.
    fn patience(&self, step_seconds: Option<f64>) -> Duration {
        const STEPS: f64 = 3.0;
        let usual = Duration::from_secs(self.settings.silent_seconds());
        if self.settings.number("silent_minutes").is_some() {
            return usual;
        }
        let expected = self.prediction.expected;
        let start = || Duration::from_secs(expected.loading_seconds.max(expected.step_seconds).unsigned_abs());
        let own = step_seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds * STEPS).ok());
        own.map_or_else(|| usual + start(), |own| own.max(usual))
    }

    /// The plan of the config.
    fn plan(&self) -> Option<Plan> {
        let checked = &self.config.as_ref()?.1.checked;
        Some(Plan::new(checked.target.schema(checked.kind?), checked.resolved.as_ref()?))
    }

    /// The limits of the measures.
    fn thresholds(&self) -> Thresholds {
        let own = &self.settings;
        let usual = Thresholds::default();
        Thresholds {
            entropy: own.number("entropy").unwrap_or(usual.entropy),
            kl: own.number("kl").unwrap_or(usual.kl),
            norm: own.number("gradient_norm").unwrap_or(usual.norm),
            flat_steps: own.integer("flat_steps").unwrap_or(usual.flat_steps),
            truncated: own.number("truncated").unwrap_or(usual.truncated),
            no_signal: own.number("no_signal").unwrap_or(usual.no_signal),
            errors: own.number("errors").unwrap_or(usual.errors),
        }
    }

    /// The disk space that is needed until the end of the run.
    fn disk(&self, plan: Option<&Plan>, folder: &RunFolder, step: Option<i64>) -> DiskReport {
        let free_bytes = self.cx.host().free_disk(self.run);
        let checkpoint_bytes = folder.newest_whole().map(resume::bytes);
        let step = step.and_then(|step| u64::try_from(step).ok());
        let more_checkpoints = plan.zip(step).and_then(|(plan, step)| resume::more_checkpoints(plan, folder, step));
        let needed = checkpoint_bytes.zip(more_checkpoints).map(|(one, more)| one.saturating_mul(more));
        DiskReport {
            checkpoint_bytes,
            more_checkpoints,
            free_bytes,
            fits: needed.zip(free_bytes).map(|(needed, free)| needed <= free),
        }
    }

    /// Runs the user's command after the state has changed.
    fn tell(&self, command: &OsStr, state: WatchState) {
        let program = Program::new("sh").arguments([OsStr::new("-c"), command]);
        let program = program.variable("CFG_STATE", state.as_str()).variable("CFG_RUN", self.run.as_os_str());
        if let Err(error) = self.cx.host().output(&program) {
            self.cx.complain(&format!("{}: {error}", Path::new(command).display()));
        }
    }
}

/// For how long a run has written nothing.
#[derive(Clone, Copy)]
struct Silence {
    /// Since its last line; `None` if that is not known.
    since: Option<Duration>,
    /// Whether that is longer than anything that it does.
    is_long: bool,
}

/// The state of a run. Only the words of its processes, or an error after which nothing was written any more, end it.
fn state(end: RunEnd, is_done: bool, silence: Silence, has_errors: bool, is_clean: bool, step: Option<i64>) -> WatchState {
    match (end, is_done) {
        (RunEnd::Finished | RunEnd::Interrupted, _) | (RunEnd::Open, true) => WatchState::Ended,
        (RunEnd::Failed, _) => WatchState::Failed,
        (RunEnd::Open, false) if has_errors && silence.since.is_none_or(|since| since >= LAST_WORDS) => WatchState::Failed,
        (RunEnd::Open, false) if silence.is_long => WatchState::Silent,
        (RunEnd::Open, false) if !is_clean => WatchState::Unhealthy,
        (RunEnd::Open, false) if step.is_none() => WatchState::Starting,
        (RunEnd::Open, false) => WatchState::Healthy,
    }
}
