//! The processes of a run and their states, from all its logs. The newest attempt speaks; earlier ones only show their steps.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use cfg_diag::Severity;

use crate::{
    Component, ScannedLog,
    course::{Course, Interrupt},
    failure::{Failure, FailureKind},
    process::{Process, ProcessState, rank},
    scanned::SeenSymptom,
    timeline::aligned,
};

/// How a run ended, in the words of its processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// It has not ended.
    Open,
    /// Its processes said that they are done.
    Finished,
    /// A process that the run needs ended with an error.
    Failed,
    /// It was interrupted, or its orchestrator was stopped otherwise.
    Interrupted,
}

/// What is written this many seconds before a process says so may have happened for the same reason.
const SAME_MOMENT: i64 = 10;

/// How processes end by a signal. Below the last line with a time, that is also how those end that were interrupted much later.
const SIGNALS: [&str; 4] = ["KeyboardInterrupt", "SignalException", "CancelledError", "SystemExit"];

/// A failure counts as past if steps were finished this many seconds after it: the other processes go on for a while.
const PAST: i64 = 90;

/// The logs of a run, and what they say together. A folder can have thousands of logs, so this is found once.
#[derive(Clone, Debug)]
pub(crate) struct Run<'l> {
    pub(crate) logs: &'l [ScannedLog],
    /// The processes that said that they are done, that ended with a code other than 0, and of which there is a log.
    finished: Vec<Component>,
    exited: Vec<Component>,
    known: Vec<Component>,
    /// The newest sign of progress, and the newest line, on the clock of their logs.
    progress: Option<i64>,
    newest: Option<i64>,
    /// When the newest file with finished steps was modified, since 1970.
    written: Option<Duration>,
    /// The number of finished steps.
    steps: u64,
    interrupted: Option<Interrupt>,
    /// Whether its orchestrator was stopped before it was done.
    is_stopped: bool,
}

fn insert(components: &mut Vec<Component>, component: Component) {
    if !components.contains(&component) {
        components.push(component);
    }
}

/// The interrupt of a process that ends with Python's word for Ctrl-C.
fn by_keyboard(log: &ScannedLog) -> Option<Interrupt> {
    if !matches!(log.component(), Component::Launcher | Component::Trainer | Component::Orchestrator) {
        return None;
    }
    let stop = log.course.stop.as_ref();
    let is_one = |failure: &&Failure| {
        stop.is_none_or(|stop| failure.line.line >= stop.line.line)
            && !failure.is_logged
            && failure.line.text.starts_with("KeyboardInterrupt")
    };
    let failure = log.failures.iter().find(is_one)?;
    Some(Interrupt { at: stop.map_or(failure.time, |stop| stop.at), by_user: true })
}

impl<'l> Run<'l> {
    pub(crate) fn new(logs: &'l [ScannedLog]) -> Self {
        let (finished, exited, known) = (Vec::new(), Vec::new(), Vec::new());
        let (progress, newest, written, interrupted) = (None, None, None, None);
        let mut run = Self { logs, finished, exited, known, progress, newest, written, steps: 0, interrupted, is_stopped: false };
        for log in logs.iter().filter(|log| !log.is_replaced) {
            let course = &log.course;
            course.finished.iter().for_each(|(component, _)| insert(&mut run.finished, *component));
            course.exits.iter().for_each(|(component, ..)| insert(&mut run.exited, *component));
            insert(&mut run.known, log.component());
            if course.has_trainer() {
                insert(&mut run.known, Component::Trainer);
            }
            if course.orchestrator.count > 0 || course.has_start {
                insert(&mut run.known, Component::Orchestrator);
            }
            let batch = course.stalled.as_ref().filter(|stalled| stalled.batch.bar.done > 0).and_then(|stalled| stalled.since);
            run.progress = run.progress.max(course.trainer.last_at).max(course.orchestrator.last_at).max(batch);
            run.newest = run.newest.max(course.clock.now);
            run.interrupted = run.interrupted.or(course.interrupted).or_else(|| by_keyboard(log));
            run.is_stopped |= course.stop.is_some();
            if course.trainer.count > 0 || course.orchestrator.count > 0 {
                run.written = run.written.max(log.modified);
            }
            run.steps = run.steps.max(course.trainer.count).max(course.orchestrator.count);
        }
        run
    }

    /// The logs of the newest attempt, with their indices.
    pub(crate) fn current(&self) -> impl Iterator<Item = (usize, &'l ScannedLog)> + use<'l> {
        self.logs.iter().enumerate().filter(|(_, log)| !log.is_replaced)
    }

    pub(crate) fn courses(&self) -> impl Iterator<Item = (usize, &'l Course)> + use<'l> {
        self.current().map(|(index, log)| (index, &log.course))
    }

    /// Whether the run is done, in the words of its processes.
    pub(crate) fn is_finished(&self) -> bool {
        let has_finished = |component| self.finished.contains(&component);
        let is_done = |component| !self.known.contains(&component) || has_finished(component);
        has_finished(Component::Launcher)
            || (has_finished(Component::Trainer) || has_finished(Component::Orchestrator))
                && is_done(Component::Trainer)
                && is_done(Component::Orchestrator)
            || self.only_evaluates() && has_finished(Component::Evaluation)
    }

    /// Whether it trains nothing.
    pub(crate) fn only_evaluates(&self) -> bool {
        let trains = [Component::Launcher, Component::Trainer, Component::Orchestrator];
        self.known.contains(&Component::Evaluation) && !self.known.iter().any(|component| trains.contains(component))
    }

    /// Whether its orchestrator was stopped before it was done, or all of it was interrupted.
    pub(crate) const fn is_stopped(&self) -> bool {
        self.is_stopped || self.interrupted.is_some()
    }

    /// Whether the run made progress after something at a time in one of its logs.
    fn goes_on_after(&self, time: Option<i64>) -> bool {
        time.zip(self.progress).is_some_and(|(time, progress)| aligned(progress, time) > time + PAST)
    }

    /// Whether a log without any time was left behind by steps.
    fn is_left_behind(&self, log: &ScannedLog) -> bool {
        log.course.clock.now.is_none() && self.is_older(log)
    }

    /// Whether the file of a log is older than those that show steps.
    fn is_older(&self, log: &ScannedLog) -> bool {
        let limit = log.modified.map(|modified| modified + Duration::from_secs(PAST.unsigned_abs()));
        limit.zip(self.written).is_some_and(|(limit, written)| written > limit)
    }

    /// Whether the run made progress after the last line of a symptom. Of one at the end of a log, without a time, the file says when it was written: that of
    /// an environment shows much that it survives.
    fn has_gone_on(&self, log: &ScannedLog, seen: &SeenSymptom) -> bool {
        let is_open = seen.is_open && !seen.symptom.is_survivable && seen.symptom.severity == Severity::Error;
        if is_open && !self.serves_rollouts(log) { self.is_older(log) } else { self.goes_on_after(seen.last_time) }
    }

    /// Whether a log is that of an environment whose rollouts go on: it shows what the programs write that a model runs.
    fn serves_rollouts(&self, log: &ScannedLog) -> bool {
        let has_exited = self.exited.contains(&Component::Environment);
        log.component() == Component::Environment && self.steps > 0 && !has_exited && !self.is_stuck_since(self.progress)
    }

    /// Whether something at a time in one of the logs happened because the run was interrupted.
    fn is_of_interrupt(&self, time: Option<i64>) -> bool {
        self.interrupted.is_some_and(|interrupted| match time.zip(interrupted.at) {
            // The processes get the signal at the same moment.
            Some((time, interrupted)) => aligned(time, interrupted) >= interrupted - SAME_MOMENT,
            // A scheduler that sends a SIGTERM writes its reason without the time of a logger.
            None => interrupted.by_user,
        })
    }

    /// The time of the newest line, on the clock of a time in one of the logs.
    pub(crate) fn now(&self, near: i64) -> i64 {
        self.newest.map_or(near, |newest| aligned(newest, near).max(near))
    }

    /// Whether a symptom describes the run as it is: not an earlier launch, nothing that the run has left behind, no consequence of its end.
    pub(crate) fn is_current(&self, log: &ScannedLog, seen: &SeenSymptom) -> bool {
        const FREQUENT: (u64, u64) = (20, 2);
        const FEW: u64 = 10;
        /// SLURM's own lines can come before some of its tasks' last ones.
        const BUFFERED: u64 = 3;
        let course = &log.course;
        if seen.launch < course.launch || seen.is_after_end {
            return false;
        }
        let is_signal = self.interrupted.is_some() && seen.symptom.weak || self.is_of_interrupt(seen.last_time);
        if is_signal && seen.symptom.severity == Severity::Error && !seen.symptom.ends {
            return false;
        }
        // A process that writes how a rollout or one of its sandboxes ended has not ended itself.
        let has_sandboxes = matches!(log.component(), Component::Orchestrator | Component::Environment);
        if seen.symptom.ends && (seen.of_rollouts >= seen.count || seen.is_warning && has_sandboxes) {
            return false;
        }
        let is_server = matches!(log.component(), Component::Inference | Component::Environment | Component::Evaluation);
        // What a logger of the run wrote stands in its order.
        let buffered = if seen.symptom.ends && !seen.is_warning { BUFFERED } else { 0 };
        // An evaluation that is missing is not made up for by the training.
        let is_own = log.component() == Component::Evaluation && !seen.symptom.is_survivable;
        let is_past = course.serial > seen.last_serial + buffered
            || !is_own && (self.has_gone_on(log, seen) || self.is_left_behind(log) || self.serves_rollouts(log));
        if !seen.symptom.is_survivable {
            return !(is_past || is_server && self.is_finished());
        }
        let steps = self.steps;
        let (least, each_step) = FREQUENT;
        // What rollouts fail with is frequent if many of a batch do.
        let is_of_rollouts = seen.of_rollouts * 2 >= seen.count;
        let each_step = if is_of_rollouts { each_step.max(course.failing.batch() / FEW) } else { each_step };
        // A batch can't go on without its rollouts.
        let total = course.stalled.as_ref().map_or(FEW, |stalled| stalled.batch.bar.total.clamp(3, FEW));
        match () {
            () if steps > 0 && seen.count >= least && seen.count / steps.max(1) >= each_step => true,
            () if is_past || self.is_finished() => false,
            // A process ended with it.
            () if !seen.symptom.weak && log.failures.iter().any(|end| !end.is_logged && end.line.line == seen.last_line) => true,
            () if self.is_stuck_since(seen.last_time) => true,
            () if steps > 0 || self.courses().any(|(_, course)| course.has_start) => self.recent(course, seen) >= total,
            // The log of a run that is beginning; an excerpt was kept because of what it shows.
            () if log.origin.is_of_run && seen.last_time.is_some() => false,
            () => true,
        }
    }

    /// The number of lines with a symptom since the run last made progress. The log of a server does not show that itself.
    fn recent(&self, course: &Course, seen: &SeenSymptom) -> u64 {
        let Some(progress) = self.progress.filter(|_| course.serial == 0) else { return seen.recent };
        let later = seen.times.iter().filter(|time| aligned(progress, **time) < **time).count() as u64;
        // More of them than there are times.
        if later == seen.times.len() as u64 { seen.recent } else { later }
    }

    /// Whether a run did nothing after a time for far longer than its steps take.
    fn is_stuck_since(&self, time: Option<i64>) -> bool {
        const TIMES: i64 = 4;
        const LEAST: i64 = 15 * 60;
        const START: i64 = 30 * 60;
        let steps = self.courses().map(|(_, course)| course.trainer.longest.max(course.orchestrator.longest));
        let patience = match steps.max() {
            Some(longest) if self.steps > 0 => longest.saturating_mul(TIMES).max(LEAST),
            _ => START,
        };
        time.is_some_and(|time| self.now(time) - time >= patience)
    }

    /// The failures of the newest attempt that ended a process, with the index of their log.
    pub(crate) fn failures(&self) -> Vec<(usize, &'l Failure)> {
        if self.is_finished() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for (index, log) in self.current() {
            let ends = log.failures.iter().any(|failure| !failure.is_logged);
            let exits =
                self.courses().any(|(_, course)| course.exits.iter().any(|(component, ..)| *component == log.component()));
            // A task of which nobody takes the result is missed by all that waits for it.
            let is_missed = |failure: &&Failure| failure.is_of_task && self.is_stuck_since(failure.time);
            if !ends && !exits {
                found.extend(log.failures.iter().filter(is_missed).map(|failure| (index, failure)));
                continue;
            }
            // The launcher says that it ended; a run may go on for a while without it.
            let has_exited = self.exited.contains(&log.component());
            let is_other = !has_exited && matches!(log.component(), Component::Inference | Component::Environment);
            // An evaluation that ended is missed by the rest of the run.
            let is_left_behind = log.component() != Component::Evaluation && self.is_left_behind(log);
            let serves = self.serves_rollouts(log);
            let is_past = |failure: &Failure| {
                let is_of_tools = failure.is_followed || failure.kind == FailureKind::Fatal || log.course.clock.now.is_none();
                is_other && self.goes_on_after(failure.time) || serves && is_of_tools || is_left_behind
            };
            let own = log.failures.iter().filter(|failure| !is_past(failure));
            let is_signal = |failure: &Failure| SIGNALS.iter().any(|name| failure.line.text.contains(name));
            let is_of_interrupt =
                |failure: &Failure| self.is_of_interrupt(failure.time) || self.interrupted.is_some() && is_signal(failure);
            let own = own.filter(|failure| !is_of_interrupt(failure));
            found.extend(own.map(|failure| (index, failure)));
        }
        found
    }

    /// The exceptions that the inference server only reported, since the run last made progress and before a process ended, with the index of their log.
    pub(crate) fn reported(&self) -> Vec<(usize, &'l Failure)> {
        let ended = self.failures().into_iter().filter(|(log, failure)| {
            !failure.is_logged && self.logs[*log].component() != Component::Inference && failure.time.is_some()
        });
        let Some(end) = ended.filter_map(|(_, failure)| failure.time).max() else { return Vec::new() };
        let is_before = |time: i64| {
            // The trainer finishes the step that it is at.
            let is_since = self.progress.is_none_or(|progress| aligned(progress, time) <= time + PAST);
            is_since && time <= aligned(end, time)
        };
        let servers = self.current().filter(|(_, log)| log.component() == Component::Inference);
        let all = servers.flat_map(|(index, log)| log.failures.iter().map(move |failure| (index, failure)));
        all.filter(|(_, failure)| failure.is_logged && failure.time.is_some_and(is_before)).collect()
    }

    /// Whether a process said that it is done.
    pub(crate) fn has_finished(&self, component: Component) -> bool {
        self.finished.contains(&component)
    }

    fn has_failed(&self) -> bool {
        // The launcher ends the run with any process that it started.
        let exits = !self.exited.is_empty();
        let may_go_on = |log: &ScannedLog| match log.component() {
            Component::Environment => true,
            Component::Evaluation => !self.only_evaluates(),
            _ => false,
        };
        let failures = self.failures();
        // A warning of another program is quoted, but is no end of a process of the run.
        let ends = |(log, failure): &(usize, &Failure)| {
            !failure.is_logged
                && !may_go_on(&self.logs[*log])
                && (failure.kind == FailureKind::Exception || !failure.line.text.contains("WARN"))
        };
        let exits = exits && self.interrupted.is_none();
        !self.is_finished() && (exits || failures.iter().any(ends))
    }

    pub(crate) fn end(&self) -> RunEnd {
        match () {
            () if self.is_finished() => RunEnd::Finished,
            () if self.has_failed() => RunEnd::Failed,
            () if self.is_stopped() => RunEnd::Interrupted,
            () => RunEnd::Open,
        }
    }

    /// The processes of the newest attempt.
    pub(crate) fn processes(&self) -> Vec<Process> {
        let failures: Vec<_> = self.failures().into_iter().filter(|(_, failure)| !failure.is_logged).collect();
        let is_of_other = |log: usize, failure: &Failure| {
            let is_of_job = self.logs[log].component() == Component::Scheduler;
            failure.named.filter(|named| is_of_job && *named != Component::Scheduler)
        };
        // SLURM's own words in the log of such a job only follow.
        let others: BTreeSet<usize> =
            failures.iter().filter(|(log, failure)| is_of_other(*log, failure).is_some()).map(|(log, _)| *log).collect();
        let failed: BTreeSet<usize> = failures.iter().map(|(log, _)| *log).filter(|log| !others.contains(log)).collect();
        let mut found: BTreeMap<Component, Process> = BTreeMap::new();
        let mut add = |component: Component, state: ProcessState, step: Option<i64>| {
            let known = found.entry(component).or_insert(Process { component, state, step });
            // Of the logs of one process, the one that says most counts.
            if rank(state) > rank(known.state) {
                known.state = state;
            }
            known.step = known.step.max(step);
        };
        for (index, log) in self.current() {
            let course = &log.course;
            let has_failed = failed.contains(&index);
            let own = log.component();
            let state = |has_worked: bool, is_waiting: bool, component: Component| match () {
                () if self.finished.contains(&component) => ProcessState::Finished,
                () if has_failed && own != Component::Unknown => ProcessState::Failed,
                () if component == Component::Orchestrator && course.stop.is_some() => ProcessState::Stopped,
                () if is_waiting => ProcessState::Waiting,
                () if has_worked => ProcessState::Working,
                () => ProcessState::Starting,
            };
            let (trainer, orchestrator) = (&course.trainer, &course.orchestrator);
            if own == Component::Trainer || trainer.count > 0 || course.loop_begins.is_some() {
                add(Component::Trainer, state(trainer.count > 0, false, Component::Trainer), trainer.last);
            }
            if own == Component::Orchestrator || orchestrator.count > 0 || course.has_start {
                let has_worked = orchestrator.count > 0 || course.has_rollouts;
                add(
                    Component::Orchestrator,
                    state(has_worked, course.waiting.is_some(), Component::Orchestrator),
                    orchestrator.last,
                );
            }
            if !matches!(own, Component::Trainer | Component::Orchestrator | Component::Unknown) {
                add(own, state(log.lines > 0, false, own), None);
            }
        }
        let of_jobs = failures.iter().filter_map(|(log, failure)| is_of_other(*log, failure));
        for component in of_jobs.chain(self.exited.iter().copied()) {
            add(component, ProcessState::Failed, None);
        }
        // The launcher that says so stops all others, and ends.
        let is_left = |process: &&mut Process| {
            matches!(process.state, ProcessState::Starting | ProcessState::Working | ProcessState::Waiting)
        };
        let left = found.values_mut().filter(is_left).filter(|_| !self.exited.is_empty());
        left.for_each(|process| process.state = ProcessState::Stopped);
        found.into_values().collect()
    }
}
