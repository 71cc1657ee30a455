//! What the logs of a run show together.

use std::collections::{BTreeMap, BTreeSet};

use cfg_diag::{Order, Severity};
use cfg_schema::Point;

use crate::{
    Component, ScannedLog, Symptom,
    failure::{Failure, FailureKind},
    halts::{Named, halts},
    measures::measures,
    order::{OF_ROLLOUTS, has_server, is_of_server, rank},
    process::Process,
    reason::Reason,
    run::{Run, RunEnd},
    sighting::Sighting,
    symptom::{all, named},
    timeline::DAY,
};

/// A symptom with all its sightings.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The symptom.
    pub symptom: &'static Symptom,
    /// One sighting for each log that shows it, in the order of the logs; of failures without a known symptom, in the order of their times.
    pub sightings: Vec<Sighting>,
}

impl Finding {
    /// Whether no line says it: it is inferred from what the run did not do.
    pub fn is_inferred(&self) -> bool {
        let name = &*self.symptom.name;
        self.symptom.lines.is_empty() && !all().iter().any(|other| other.at_server.as_deref() == Some(name))
    }

    /// Whether no process ends with it: its lines are what rollouts failed with, or a logger wrote them as a warning or less.
    pub fn ends_nothing(&self) -> bool {
        self.sightings.iter().all(|seen| seen.is_warning || seen.of_rollouts >= seen.count)
    }
}

/// What is known about a run besides its logs.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunContext {
    /// The prime-rl that wrote the logs; `None` if unknown.
    pub point: Option<Point>,
    /// Whether the logs are known to be those of a training run, because they were passed together with its config.
    pub is_training: bool,
    /// How long its parts take according to its config.
    pub expected: Expected,
}

/// How long the parts of a run take according to its config, in seconds; 0 if that is not known. What the run did itself counts more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// A step, at most.
    pub step_seconds: i64,
    /// Reading the weights of the model.
    pub loading_seconds: i64,
    /// The longest answer of one rollout.
    pub rollout_seconds: i64,
}

/// The processes of a run, and how it ended in their words.
pub fn processes(logs: &[ScannedLog]) -> (Vec<Process>, RunEnd) {
    let run = Run::new(logs);
    (run.processes(), run.end())
}

/// The findings in the logs of a run.
pub fn conclude(logs: &[ScannedLog], context: &RunContext) -> Vec<Finding> {
    let run = Run::new(logs);
    let mut findings: Vec<Finding> = Vec::new();
    let mut reasons = Vec::new();
    let has_signs = context.is_training || logs.iter().any(ScannedLog::is_of_training);
    // In the log of another program, the same words have other causes.
    let is_own = |scanned: &ScannedLog| context.is_training || !scanned.is_foreign();
    for (log, scanned) in run.current().filter(|(_, scanned)| is_own(scanned)) {
        for seen in &scanned.symptoms {
            if (seen.is_certain || has_signs) && run.is_current(scanned, seen) {
                let component = speaker(scanned, &seen.first.text, None);
                let at_server = seen.symptom.at_server.as_deref().filter(|_| component == Component::Inference);
                let symptom = at_server.and_then(named).unwrap_or(seen.symptom);
                let sighting = Sighting {
                    last_line: seen.last_line,
                    count: seen.count,
                    of_rollouts: seen.of_rollouts,
                    is_warning: seen.is_warning,
                    component,
                    ..Sighting::of(log, seen.first.clone())
                };
                add(&mut findings, symptom, sighting);
                reasons.extend(Reason::of(symptom, log, seen, component));
            }
        }
    }
    if has_signs {
        failures(&run, &reasons, context.is_training, &mut findings);
    }
    let mut of_course = Vec::new();
    rollouts(&run, &findings, &mut of_course);
    stops(&run, &findings, &mut of_course);
    name(&mut findings, logs, std::mem::take(&mut of_course));
    // Nothing is inferred from silence where an error was found.
    let has_error = findings.iter().any(|finding| finding.symptom.severity == Severity::Error && !finding.symptom.weak);
    if !has_error && !run.has_finished(Component::Trainer) {
        let given_up = run.courses().filter_map(|(log, course)| Some((log, course.gives_up.clone()?)));
        of_course.extend(given_up.map(|(log, line)| ("hangs-at-end", log, line, 1)));
    }
    if !has_error && !run.is_finished() && !run.is_stopped() {
        halts(&run, *context, &mut of_course);
    }
    measures(&run, &mut of_course);
    name(&mut findings, logs, of_course);
    yields(&mut findings);
    if findings.iter().any(|finding| !finding.symptom.weak) {
        // Words that much else writes, too, are sure where a process ended with them.
        let ends = run.failures();
        let is_end = |seen: &Sighting| {
            let is_own = |(log, failure): &(usize, &Failure)| *log == seen.log && failure.line.line == seen.first.line;
            ends.iter().any(|end| is_own(end) && end.1.kind == FailureKind::Exception && !end.1.is_logged)
        };
        let is_sure = |finding: &Finding| {
            let Symptom { weak, generic, severity, is_survivable, .. } = finding.symptom;
            !weak || *generic && !is_survivable && *severity == Severity::Error && finding.sightings.iter().any(is_end)
        };
        findings.retain(is_sure);
    }
    // A line that a more specific symptom reports is not reported again.
    let explained: Vec<(usize, u64)> = findings
        .iter()
        .filter(|finding| !finding.symptom.generic)
        .flat_map(|finding| finding.sightings.iter().map(|sighting| (sighting.log, sighting.first.line)))
        .collect();
    findings.retain(|finding| {
        let at = |sighting: &Sighting| explained.contains(&(sighting.log, sighting.first.line));
        !finding.symptom.generic || !finding.sightings.iter().all(at)
    });
    // The head of a pydantic error and the line with its reason are one fault; the more specific symptom is reported.
    let keyed: Vec<(usize, u64, String)> = findings
        .iter()
        .flat_map(|finding| &finding.sightings)
        .filter_map(|sighting| Some((sighting.log, sighting.first.line, sighting.first.key.clone()?)))
        .collect();
    let placed: BTreeMap<(usize, u64), Sighting> =
        findings.iter().flat_map(|finding| &finding.sightings).map(|seen| ((seen.log, seen.first.line), seen.clone())).collect();
    findings.retain(|finding| {
        let is_head = |sighting: &Sighting| {
            // vLLM's own checks name no key, and the reason is in the line below.
            let below = || placed.get(&(sighting.log, sighting.first.line + 1));
            let is_above = || finding.symptom.names_key && below().is_some_and(|below| below.has_speaker_of(sighting));
            if sighting.first.key.is_none() {
                return is_above();
            }
            let exact = |(log, line, key): &(usize, u64, String)| {
                *log == sighting.log && *line > sighting.first.line && Some(key) == sighting.first.key.as_ref()
            };
            keyed.iter().any(exact)
        };
        !finding.sightings.iter().all(is_head)
    });
    for seen in findings.iter_mut().flat_map(|finding| &mut finding.sightings) {
        seen.set_frame(&logs[seen.log]);
        seen.set_root(&logs[seen.log]);
    }
    let has_server = has_server(&findings);
    // An exception that is left beside a symptom of a lost peer came before it.
    let has_exception = findings.iter().any(|finding| &*finding.symptom.name == "uncaught-exception");
    findings.order_by_key(|finding| {
        let first = finding.sightings.first().map(|sighting| (sighting.log, sighting.first.line));
        let ended_first = finding.sightings.iter().any(|sighting| sighting.comes_first);
        let follows = has_exception && finding.symptom.follows;
        (std::cmp::Reverse((finding.symptom.severity, ended_first)), rank(finding, has_server), follows, first)
    });
    findings
}

/// Adds what the course of the run shows.
fn name(findings: &mut Vec<Finding>, logs: &[ScannedLog], of_course: Vec<Named>) {
    for (name, log, line, count) in of_course {
        if let Some(symptom) = named(name) {
            let component = logs[log].component();
            add(findings, symptom, Sighting { count, component, ..Sighting::of(log, line) });
        }
    }
}

/// Finds rollouts that fail, and batches that are empty, as far as no symptom was found that says why.
fn rollouts(run: &Run<'_>, findings: &[Finding], told: &mut Vec<Named>) {
    const NEAR_THE_END: f64 = 0.5;
    let [most, all] = OF_ROLLOUTS;
    let seen = || findings.iter().flat_map(|finding| &finding.sightings);
    let has = |name: &str| findings.iter().any(|finding| *finding.symptom.name == *name);
    for (log, course) in run.courses() {
        let (failing, limit) = (&course.failing, course.thresholds.errors);
        let evaluations = course.failed_evaluations.iter();
        told.extend(evaluations.map(|(_, line)| ("failed-evaluation", log, line.clone(), 1)));
        // Others than the orchestrator don't say how many rollouts succeed.
        if !matches!(run.logs[log].component(), Component::Orchestrator | Component::Unknown) {
            continue;
        }
        // A line that is as frequent, but not in what the rollouts failed with, has nothing to do with them.
        let is_explained = failing.count > 0 && seen().any(|seen| seen.log == log && seen.of_rollouts * 2 >= failing.count);
        // A run that is done has completed what it needed.
        let without = failing.without_success(limit).filter(|_| !run.is_finished());
        if let Some((count, line)) = without.filter(|_| !is_explained) {
            told.push((all, log, line.clone(), count));
        } else if let Some((count, line)) = failing.frequent(limit).filter(|_| !is_explained) {
            told.push((most, log, line.clone(), count));
        }
        let empty = course.empty.as_ref().filter(|empty| empty.share >= NEAR_THE_END);
        if let Some(empty) = empty.filter(|_| !has("empty-batches") && !run.is_finished()) {
            told.push(("empty-batch-streak", log, empty.first.clone(), empty.count));
        }
    }
}

/// Finds that an orchestrator was stopped before it was done, if nothing says why.
fn stops(run: &Run<'_>, findings: &[Finding], told: &mut Vec<Named>) {
    let is_reason = |finding: &Finding| finding.symptom.severity == Severity::Error || &*finding.symptom.name == "interrupted";
    if run.is_finished() || findings.iter().any(is_reason) {
        return;
    }
    let stopped = run.courses().filter_map(|(log, course)| Some((log, course.stop.as_ref()?)));
    told.extend(stopped.map(|(log, stop)| ("forced-cleanup", log, stop.line.clone(), 1)));
}

/// Drops the sightings beside which, in the same log, another symptom says more of the same fault.
fn yields(findings: &mut Vec<Finding>) {
    let all = findings.clone();
    for finding in &mut *findings {
        let Some(name) = finding.symptom.yields_to.as_deref() else { continue };
        let others = || all.iter().filter(|other| *other.symptom.name == *name).flat_map(|other| &other.sightings);
        finding.sightings.retain(|seen| !others().any(|other| other.may_be_beside(seen)));
    }
    findings.retain(|finding| !finding.sightings.is_empty());
}

fn add(findings: &mut Vec<Finding>, symptom: &'static Symptom, sighting: Sighting) {
    match findings.iter_mut().find(|finding| std::ptr::eq(finding.symptom, symptom)) {
        Some(known) => known.sightings.push(sighting),
        None => findings.push(Finding { symptom, sightings: vec![sighting] }),
    }
}

/// The process that wrote a line: the log's own, or in a log of several processes the one that the line names.
fn speaker(log: &ScannedLog, text: &str, named: Option<Component>) -> Component {
    let own = log.component();
    let servers = ["(EngineCore", "(APIServer", "(VllmWorker", "(Worker", "(ApiServer"];
    let is_server = servers.iter().any(|name| text.contains(name));
    match own {
        // SLURM's log has the output of all tasks of the job.
        Component::Unknown | Component::Scheduler if is_server => Component::Inference,
        Component::Unknown | Component::Scheduler => named.unwrap_or(own),
        _ => own,
    }
}

/// Quotes how processes ended, as far as no symptom explains it. `are_of_run` is whether all logs are known to be of the run.
fn failures(run: &Run<'_>, reasons: &[Reason], are_of_run: bool, findings: &mut Vec<Finding>) {
    // A broken connection, of which a run survives a few, does not say why it was the end.
    let says_why = |finding: &&Finding| !(finding.symptom.weak && finding.symptom.is_survivable);
    let sightings = findings.iter().filter(says_why).flat_map(|finding| &finding.sightings);
    let lines: BTreeSet<(usize, u64)> =
        sightings.flat_map(|seen| [(seen.log, seen.first.line), (seen.log, seen.last_line)]).collect();
    let of = |(log, failure): &(usize, &Failure)| speaker(&run.logs[*log], &failure.line.text, failure.named);
    let (told, mut left): (Vec<_>, Vec<_>) =
        run.failures().into_iter().partition(|(log, failure)| lines.contains(&(*log, failure.line.line)));
    left.retain(|(log, _)| are_of_run || !run.logs[*log].is_foreign());
    left.retain(|(log, failure)| reasons.iter().all(|reason| !reason.explains(*log, failure)));
    drop_reports(&mut left, &reasons.iter().map(|reason| (reason.log, reason.line)).collect());
    // An exception says more than the lines about the end of its process.
    let is_exception = |failure: &Failure| failure.kind == FailureKind::Exception;
    // torchrun reports that a rank ended, which has a log of its own, and the script of a job that one of its processes did.
    let has_rank = left.iter().any(|failure| is_exception(failure.1) && of(failure) == Component::Trainer);
    let has_other = left.iter().any(|(_, failure)| is_exception(failure)) || reasons.iter().any(Reason::is_end);
    let says = |failure: &Failure, words: &str| !is_exception(failure) && failure.line.text.contains(words);
    left.retain(|(_, failure)| {
        !(has_rank && says(failure, "failed (exitcode:") || has_other && says(failure, "component exited with code"))
    });
    // What a logger writes after it is of the end.
    let first_ends: BTreeMap<usize, u64> = left
        .iter()
        .rev()
        .filter(|(_, failure)| is_exception(failure) && !failure.is_logged)
        .map(|(log, failure)| (*log, failure.line.line))
        .collect();
    left.retain(|(log, failure)| !(failure.is_logged && first_ends.get(log).is_some_and(|end| *end < failure.line.line)));
    let with_exception: BTreeSet<usize> = left.iter().filter(|(_, failure)| is_exception(failure)).map(|(log, _)| *log).collect();
    let mut kept: Vec<(usize, &Failure)> =
        left.into_iter().filter(|(log, failure)| is_exception(failure) || !with_exception.contains(log)).collect();
    let has_reason = |component: Component| {
        kept.iter().any(|failure| of(failure) == component)
            || told.iter().any(|failure| of(failure) == component && !failure.1.is_logged)
    };
    let exits: Vec<_> = run
        .courses()
        .flat_map(|(log, course)| course.exits.iter().map(move |exit| (log, exit)))
        .filter(|(_, (component, ..))| !has_reason(*component))
        .collect();
    let any = kept.iter().any(|(_, failure)| !failure.is_logged);
    if !any
        && !run.is_finished()
        && !findings.iter().any(|finding| finding.symptom.severity == Severity::Error && !finding.symptom.weak)
    {
        for (log, (component, _, line)) in exits {
            if let Some(symptom) = named("process-failed") {
                add(findings, symptom, Sighting { component: *component, ..Sighting::of(log, line.clone()) });
            }
        }
    }
    kept.order_by_key(|(_, failure)| failure.time.map_or(i64::MAX, |time| time.rem_euclid(DAY)));
    // What reports the failure of another process did not end first.
    let is_report = has_server(findings) || kept.iter().any(|failure| of(failure) == Component::Inference);
    let ends = kept.iter().filter(|(_, failure)| !(is_report && is_of_server(&failure.line.text)));
    let first = first_end(ends.map(|failure| End::of(of(failure), failure.1)), reasons);
    for (log, failure) in kept {
        let name = if failure.kind == FailureKind::Exception { "uncaught-exception" } else { "fatal-line" };
        let Some(symptom) = named(name) else { continue };
        let component = of(&(log, failure));
        // Each rank has a log of its own, and all of them end alike.
        let known = findings.iter_mut().find(|finding| std::ptr::eq(finding.symptom, symptom));
        let known = known.and_then(|finding| {
            let is_same = |seen: &&mut Sighting| seen.component == component && seen.first.text == failure.line.text;
            finding.sightings.iter_mut().find(is_same)
        });
        if let Some(known) = known {
            known.count += 1;
            continue;
        }
        let comes_first = first.is_some_and(|first| first == End::of(component, failure));
        let sighting = Sighting {
            component,
            time: failure.time.and_then(of_day),
            is_first: comes_first && first.is_some_and(|first| first.is_sure),
            comes_first,
            frame: failure.frame.clone(),
            ..Sighting::of(log, failure.line.clone())
        };
        add(findings, symptom, sighting);
    }
    reported(run, findings);
    let Some(first) = first else { return };
    for reason in reasons.iter().filter(|reason| reason.is_end()) {
        let of_reason = findings.iter_mut().filter(|finding| std::ptr::eq(finding.symptom, reason.symptom));
        let sightings = of_reason.flat_map(|finding| &mut finding.sightings).filter(|seen| seen.log == reason.log);
        for seen in sightings {
            seen.time = reason.time.and_then(of_day);
            seen.comes_first = first == End::of_reason(reason);
            seen.is_first = seen.comes_first && first.is_sure;
        }
    }
}

/// Quotes what the inference server reported after the last progress and before a process ended: that process waited for it.
fn reported(run: &Run<'_>, findings: &mut Vec<Finding>) {
    let Some(symptom) = named("reported-exception") else { return };
    for (log, failure) in run.reported() {
        let known = findings.iter().flat_map(|finding| &finding.sightings);
        if known.into_iter().all(|seen| (seen.log, seen.first.line) != (log, failure.line.line)) {
            let time = failure.time.and_then(of_day);
            let frame = failure.frame.clone();
            let component = Component::Inference;
            add(findings, symptom, Sighting { component, time, frame, ..Sighting::of(log, failure.line.clone()) });
        }
    }
}

/// The end of a process.
#[derive(Clone, Copy, Debug)]
struct End {
    component: Component,
    time: Option<i64>,
    /// Whether it was no later than that; of the first one, whether no other can have been before it.
    is_sure: bool,
    /// Whether it may only report the end of another process.
    is_report: bool,
}

impl PartialEq for End {
    fn eq(&self, other: &Self) -> bool {
        (self.component, self.time) == (other.component, other.time)
    }
}

impl End {
    fn of(component: Component, failure: &Failure) -> Self {
        let is_report = failure.kind == FailureKind::Fatal;
        Self { component, time: failure.time, is_sure: failure.is_dated, is_report }
    }

    const fn of_reason(reason: &Reason) -> Self {
        Self { component: reason.component, time: reason.time, is_sure: reason.is_dated, is_report: false }
    }
}

/// The process that ended first, if several did.
fn first_end(failures: impl Iterator<Item = End>, reasons: &[Reason]) -> Option<End> {
    let of_reasons = reasons.iter().filter(|reason| reason.is_end());
    let ends: Vec<End> = failures.chain(of_reasons.map(End::of_reason)).collect();
    let is_several = ends.iter().any(|end| end.component != ends[0].component);
    // A time that is only the earliest possible one comes before the same time that is known.
    let dated = ends.iter().filter(|end| end.time.is_some());
    let first = *dated.min_by_key(|end| (end.time.map(|time| time.rem_euclid(DAY)), end.is_sure)).filter(|_| is_several)?;
    let may_be_before = |end: &End| end.component != first.component && end.time.is_none() && !end.is_report;
    Some(End { is_sure: first.is_sure && !ends.iter().any(may_be_before), ..first })
}

/// A time of a log's clock as the time of day, in seconds.
fn of_day(time: i64) -> Option<u32> {
    u32::try_from(time.rem_euclid(DAY)).ok()
}

/// Drops exceptions that only report that another process failed, if that process says why above them. `reasons` are the lines that a symptom
/// explains.
fn drop_reports(left: &mut Vec<(usize, &Failure)>, reasons: &BTreeSet<(usize, u64)>) {
    const REPORTS: [&str; 5] = [
        "returned non-zero exit status",
        "errors.ChildFailedError",
        "Engine core initialization failed",
        "WorkerProc initialization failed",
        "ProcessRaisedException",
    ];
    // The exceptions of a group stand below it.
    let is_group = |failure: &Failure| failure.line.text.contains("ExceptionGroup: ");
    let last = |log: usize| left.iter().filter(|(other, _)| *other == log).map(|(_, failure)| failure.line.line).max();
    let is_report = |failure: &Failure| REPORTS.iter().any(|report| failure.line.text.contains(report));
    // What else a group was doing is cancelled when one of its tasks fails.
    let is_cancelled = |failure: &Failure| failure.line.text.starts_with("asyncio.exceptions.CancelledError");
    let is_cancelled_for = |log: usize| {
        let others = left.iter().filter(|(other, failure)| *other == log && !is_cancelled(failure)).count();
        others > 0 || reasons.iter().any(|(other, _)| *other == log)
    };
    let first = |log: usize| {
        let own =
            left.iter().filter(|(other, failure)| *other == log && !is_report(failure)).map(|(_, failure)| failure.line.line);
        own.chain(reasons.iter().filter(|(other, _)| *other == log).map(|(_, line)| *line)).min()
    };
    let is_explained = |log: usize, failure: &Failure| {
        is_report(failure) && first(log).is_some_and(|line| line < failure.line.line)
            || is_cancelled(failure) && is_cancelled_for(log)
            || is_group(failure) && last(log).is_some_and(|line| line > failure.line.line)
    };
    let kept: Vec<_> = left.iter().copied().filter(|(log, failure)| !is_explained(*log, failure)).collect();
    *left = kept;
}
