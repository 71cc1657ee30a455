//! `cfg run resume`: from which step a run can resume, and the command for it.

mod begun_anew;

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use cfg_check::{Checked, Command, Session};
use cfg_diag::Severity;
use cfg_diagnose::RunEnd;
use cfg_launch::{
    Launch, Part, checkpoint_flags,
    outputs::{Checkpoint, RunFolder, State},
};
use cfg_plan::Plan;
use cfg_report::resume::{CheckpointReport, DiskReport, PartReport, ProblemReport, ResumeReport, WandbReport, write_text};
use cfg_resolve::View;
use cfg_schema::{Behaviour, Kind, Target};

use super::{Listing, memory::Job, newest_run::newest_run, watch};
use crate::{CommandResult, Ended, Outcome, args, context::Context, inputs::Inputs, terminal};

/// If files of a run changed less than this many seconds ago, the run may still be in progress.
const STILL_GOING: u64 = 60;

pub(crate) fn run(cx: &Context, words: &args::Resume) -> CommandResult {
    if !cx.system.is_folder(&words.run) {
        cx.complain(&format!("{}: no such directory", words.run.display()));
        return Ok(Outcome::Failed);
    }
    let run = &*newest_run(cx, &words.run);
    let paths: Vec<PathBuf> = words.started_with.clone().or_else(|| left_config(cx, run)).into_iter().collect();
    let report = match paths.first() {
        None => FoundRun::read(cx, run, None).report,
        Some(config) => match Job::read(cx, &paths) {
            Ok(job) => with_config(cx, &job, run, config),
            Err(Ended::Reported(Outcome::Found)) => refused(cx, run, config),
            Err(ended) => return Err(ended),
        },
    };
    let mut out = io::BufWriter::new(cx.out());
    match Listing::of(cx) {
        Listing::Text => write_text(&mut out, terminal::style(cx), &report)?,
        listing => listing.write_one(&mut out, &report)?,
    }
    out.flush()?;
    drop(out);
    if paths.is_empty() {
        cx.note("missing config: pass it after the folder to get the command that resumes");
    }
    let is_wrong = report.resume_step.is_none() || report.problems.iter().any(|problem| problem.severity == "error");
    Ok(if is_wrong { Outcome::Found } else { Outcome::Clean })
}

/// The report for a run whose config prime-rl refuses.
fn refused(cx: &Context, run: &Path, config: &Path) -> ResumeReport {
    let mut report = FoundRun::read(cx, run, None).report;
    report.config = Some(config.display().to_string());
    report.problems.push(error(format!("prime-rl refuses {}, so there is no command to resume it yet", config.display())));
    report
}

/// The config that the launcher has written to the output folder of a run.
pub(super) fn left_config(cx: &Context, run: &Path) -> Option<PathBuf> {
    cfg_launch::outputs::left_config(&*cx.system, run)
}

/// The folder below which the trainer writes its checkpoints, if that is not the one of its run.
fn of_checkpoints(plan: &Plan) -> Option<&str> {
    plan.trainer.as_ref()?.ckpt.value()?.output_dir.text()
}

/// Reads the output folder of a run, with the trainer's checkpoints where the config has them written.
pub(super) fn folder(cx: &Context, run: &Path, plan: Option<&Plan>) -> RunFolder {
    let trainer = plan.and_then(of_checkpoints).map_or(run, Path::new);
    RunFolder::with_trainer_at(&*cx.system, run, plan.map(|plan| plan.orchestrator.is_some()), trainer)
}

/// The contents of a run's output folder, and the report on the run.
struct FoundRun {
    folder: RunFolder,
    report: ResumeReport,
}

impl FoundRun {
    fn read(cx: &Context, run: &Path, plan: Option<&Plan>) -> Self {
        let folder = folder(cx, run, plan);
        let resume = folder.newest_whole();
        let resume_step = resume.map(|checkpoint| checkpoint.step);
        let newest = resume.map(bytes);
        let free_bytes = cx.host().free_disk(run);
        let component =
            |of: &str| if of.is_empty() || folder.components.len() == 1 { String::new() } else { "orchestrator".to_owned() };
        let logged = watch::logged(cx, run);
        let reached = folder.reached.max(logged.step);
        let mut report = ResumeReport {
            run: run.display().to_string(),
            config: None,
            target: None,
            components: folder.components.iter().map(|component| component.name.clone()).collect(),
            checkpoints: folder.checkpoints.iter().map(|checkpoint| entry(&folder, checkpoint)).collect(),
            resume_step,
            reached_step: reached,
            lost_steps: resume_step.zip(reached).map(|(step, reached)| reached.saturating_sub(step)),
            wandb: folder
                .tracked
                .iter()
                .map(|run| WandbReport { id: run.id.clone(), component: component(&run.of), offline: run.is_offline })
                .collect(),
            command: None,
            disk: DiskReport { checkpoint_bytes: newest, more_checkpoints: None, free_bytes, fits: None },
            problems: Vec::new(),
        };
        if let Some(seconds) =
            folder.written.and_then(|written| cx.host().now().checked_sub(written)).map(|since| since.as_secs())
            && seconds <= STILL_GOING
            && !matches!(logged.end, RunEnd::Finished | RunEnd::Interrupted)
        {
            report.problems.push(warning(format!(
                "its files changed {seconds} s ago: it may still be running, and two runs in one folder destroy each other's \
                 files"
            )));
        }
        if let Some((symptom, place)) = &logged.reason {
            let shown = cfg_diag::word(&report.run);
            report.problems.push(warning(format!(
                "it failed with {symptom} ({place}), and may fail again if nothing is changed: see `cfg run diagnose {shown}`"
            )));
        }
        if let (Some(newest), Some(step)) = (folder.checkpoints.last(), resume_step)
            && newest.step > step
        {
            report.problems.push(warning(format!(
                "the newest checkpoint, of step {}, is incomplete, and -1 would resume from it: state the step",
                newest.step
            )));
        }
        Self { folder, report }
    }
}

/// Completes the report on a run with what its config shows.
fn with_config(cx: &Context, job: &Job<'_>, run: &Path, config: &Path) -> ResumeReport {
    let read = job.first().and_then(|(session, checked, _)| Some((session, checked, checked.kind?, checked.resolved.as_ref()?)));
    let Some((session, checked, kind, resolved)) = read else { return FoundRun::read(cx, run, None).report };
    let schema = checked.target.schema(kind);
    let plan = Plan::new(schema, resolved);
    let FoundRun { folder, mut report } = FoundRun::read(cx, run, Some(&plan));
    report.config = Some(config.display().to_string());
    report.target = Some(checked.target.name.clone());
    if let Some(elsewhere) = of_checkpoints(&plan).filter(|elsewhere| !cx.system.is_folder(Path::new(elsewhere))) {
        let message = format!("the trainer writes its checkpoints to {elsewhere}, which does not exist here");
        report.problems.push(warning(message));
    }
    let Some(step) = report.resume_step else { return report };
    report.problems.extend(begun_anew::begun_anew(&plan));
    report.problems.extend(begun_anew::other_ranks(cx, &plan, &folder, step));
    report.problems.extend(begun_anew::weights(&plan, checked.target.point));
    disk(&mut report, &plan, &folder, step);
    if checked.target.point.has(Behaviour::TrainerWaitsForNewestCheckpoint) {
        let ahead = folder.checkpoints.iter().filter(|checkpoint| checkpoint.step > step);
        let ahead = ahead.flat_map(|checkpoint| &checkpoint.parts).filter(|part| part.component > 0);
        let paths: Vec<String> = ahead.map(|part| part.path.display().to_string()).collect();
        if !paths.is_empty() {
            report.problems.push(error(format!(
                "this prime-rl's orchestrator resumes from its newest checkpoint, which is ahead: the run would finish one step \
                 and hang; move away {}",
                paths.join(", ")
            )));
        }
    }
    let part = Part {
        kind,
        files: vec![config.to_string_lossy().into_owned()],
        rest: Vec::new(),
        plan: &plan,
        view: View::new(schema, resolved),
        is_for_tests: job.project().is_for_tests,
    };
    command(cx, session, checked, &part, run, &mut report);
    report
}

/// The command that resumes the run, with the findings that it has in addition to those of the config.
fn command(cx: &Context, session: &Session, checked: &Checked, part: &Part<'_>, run: &Path, report: &mut ResumeReport) {
    let has = |key: &str| has(&checked.target, part.kind, key);
    let Some(step) = report.resume_step else { return };
    let flag =
        [("ckpt.resume_step", "--ckpt.resume-step"), ("resume.step", "--resume.step")].into_iter().find(|(key, _)| has(key));
    let Some((_, flag)) = flag else {
        report.problems.push(error(format!("prime-rl {} has no key to resume from a step", checked.target.name)));
        return;
    };
    let mut rest = checkpoint_flags(part, checked.target.point);
    rest.extend([flag.to_owned(), step.to_string()]);
    rest.extend(output_flags(cx, part, run, has("run.name")));
    let mut variables = Vec::new();
    let is_on = |wandb: &cfg_plan::Setting<cfg_plan::Wandb>| wandb.fact().is_some();
    let of_trainer = is_on(&part.plan.run.wandb) || part.plan.trainer.as_ref().is_some_and(|trainer| is_on(&trainer.wandb));
    let of_orchestrator = part.plan.orchestrator.as_ref().is_some_and(|orchestrator| is_on(&orchestrator.wandb));
    // All processes log to one W&B run and share its id. At earlier versions each process has its own id, in a key of its own.
    match report.wandb.as_slice() {
        _ if !of_trainer && !of_orchestrator => {}
        runs if has("trainer.wandb.id") || (part.kind != Kind::Rl && has("wandb.id")) => {
            let own = |of_orchestrator: bool| runs.iter().find(|run| run.component.is_empty() != of_orchestrator);
            let keys = if part.kind == Kind::Rl { ["--trainer.wandb.id", "--orchestrator.wandb.id"] } else { ["--wandb.id", ""] };
            let own = [own(false).filter(|_| of_trainer), own(true).filter(|_| of_orchestrator)];
            for (key, run) in keys.into_iter().zip(own).filter(|(key, _)| !key.is_empty()) {
                rest.extend(run.into_iter().flat_map(|run| [key.to_owned(), run.id.clone()]));
            }
        }
        [one] => variables.push((if has("run.name") { "PRL_RUN_ID" } else { "WANDB_SHARED_RUN_ID" }, one.id.clone())),
        [] => {}
        _ => report.problems.push(warning(
            "trainer and orchestrator had separate W&B runs, but this prime-rl uses one id for both: a new run starts".to_owned(),
        )),
    }
    let launch = Launch::single(&Part { rest, files: part.files.clone(), ..*part }, checked.target.point);
    let Some(mut start) = launch.steps.into_iter().next() else { return };
    start.variables.extend(variables);
    start.log = None;
    let inputs = Inputs { cx, session, kind: Some(part.kind), target: Some(checked.target.clone()), project: None, env: false };
    let said = inputs.check(Command::Words(&start.words)).checked.diagnostics;
    for found in said.iter().filter(|found| found.severity != Severity::Info) {
        // Findings of the config alone are already reported by `cfg check`.
        if checked.diagnostics.iter().any(|own| own.code == found.code) {
            continue;
        }
        let help = found.help.as_ref().map_or_else(String::new, |help| format!("; {help}"));
        let message = format!("{} ({}){help}", found.message, found.code.code);
        report.problems.push(if found.severity == Severity::Error { error(message) } else { warning(message) });
    }
    report.command = Some(start.line());
}

/// The flags that set this output folder, if the config names another one.
fn output_flags(cx: &Context, part: &Part<'_>, run: &Path, is_named: bool) -> Vec<String> {
    let plain = |path: &Path| cx.system.plain(path).into_owned();
    let stated = |key: &str| part.view.str(key).map(PathBuf::from);
    let output = stated("output_dir").unwrap_or_else(|| PathBuf::from("outputs"));
    if !is_named {
        let is_it = plain(&output) == plain(run);
        return if is_it { Vec::new() } else { vec!["--output-dir".to_owned(), run.display().to_string()] };
    }
    let (Some(parent), Some(name)) = (run.parent(), run.file_name()) else { return Vec::new() };
    let mut flags = Vec::new();
    if plain(&output) != plain(parent) {
        let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        flags.extend(["--output-dir".to_owned(), parent.display().to_string()]);
    }
    if stated("run.name").is_none_or(|stated| stated.as_os_str() != name) {
        flags.extend(["--run.name".to_owned(), name.to_string_lossy().into_owned()]);
    }
    flags
}

fn has(target: &Target, kind: Kind, key: &str) -> bool {
    target.schema(kind).has(key)
}

/// Adds the disk space that is needed until the end of the run.
fn disk(report: &mut ResumeReport, plan: &Plan, folder: &RunFolder, step: u64) {
    let Some((more, one)) = more_checkpoints(plan, folder, step).zip(report.disk.checkpoint_bytes) else { return };
    report.disk.more_checkpoints = Some(more);
    let needed = one.saturating_mul(more);
    report.disk.fits = report.disk.free_bytes.map(|free| needed <= free);
    if let Some(free) = report.disk.free_bytes.filter(|free| needed > *free) {
        let fit = free / one.max(1);
        report.problems.push(error(format!(
            "the disk has room for {fit} more {}, but {more} will be saved: set `keep_last`, or save less often",
            if fit == 1 { "checkpoint" } else { "checkpoints" }
        )));
    }
}

/// The number of checkpoints from a step to the end of the run; `None` if the run has no end or saves none.
pub(super) fn more_checkpoints(plan: &Plan, folder: &RunFolder, step: u64) -> Option<u64> {
    let trainer = plan.trainer.as_ref()?;
    let number = |value: Option<i64>| value.and_then(|value| u64::try_from(value).ok()).filter(|value| *value > 0);
    let (max_steps, ckpt) = (number(trainer.max_steps.get())?, trainer.ckpt.value()?);
    let multiples = |of: u64| (max_steps / of).saturating_sub(step / of);
    let saved = number(ckpt.interval.get()).map_or(0, |interval| multiples(interval) + u64::from(max_steps % interval != 0));
    let saved = if step >= max_steps { 0 } else { saved.max(1) };
    let there = u64::try_from(folder.checkpoints.len()).unwrap_or(u64::MAX);
    Some(match (number(ckpt.keep_last.get()), number(ckpt.keep_interval.get())) {
        (None, None) => saved,
        // While a checkpoint is written, there is one more than is kept.
        (last, every) => {
            let newest = last.map_or(0, |last| (last + 1).saturating_sub(there));
            saved.min(newest + every.map_or(0, multiples))
        }
    })
}

fn entry(folder: &RunFolder, checkpoint: &Checkpoint) -> CheckpointReport {
    let parts = folder.components.iter().enumerate().map(|(index, component)| match checkpoint.part(index) {
        Some(part) => {
            let why = if let State::Broken(why) = &part.state { Some(why.clone()) } else { None };
            let state = if why.is_some() { "broken" } else { "whole" };
            PartReport { state, why, path: part.path.display().to_string() }
        }
        None => {
            let path = component.folder.join(format!("step_{}", checkpoint.step));
            PartReport { state: "missing", why: None, path: path.display().to_string() }
        }
    });
    CheckpointReport {
        step: checkpoint.step,
        whole: folder.is_whole(checkpoint),
        bytes: bytes(checkpoint),
        parts: parts.collect(),
    }
}

pub(super) fn bytes(checkpoint: &Checkpoint) -> u64 {
    checkpoint.parts.iter().fold(checkpoint.weights, |sum, part| sum.saturating_add(part.bytes))
}

const fn warning(message: String) -> ProblemReport {
    ProblemReport { severity: "warning", message }
}

const fn error(message: String) -> ProblemReport {
    ProblemReport { severity: "error", message }
}
