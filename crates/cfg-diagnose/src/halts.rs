//! Why a run hangs, as far as its logs show: each process waits for another. Waiting is judged by the clock and by what the other side does, never by a
//! number of lines: an orchestrator that is ahead waits at nearly every step.

use cfg_schema::Behaviour;

use crate::{Component, Expected, RunContext, Sighted, course::Stalled, run::Run, timeline::aligned};

/// A symptom's name, the index of the log, the line, and the number of sightings.
pub(crate) type Named = (&'static str, usize, Sighted, u64);

/// Without an earlier step to compare with, this many seconds without progress are a halt.
const HALT: i64 = 30 * 60;

/// A bar that shows each rollout is at 0 for this many seconds at most, if nothing is known of the time that rollouts take.
const FIRST_ROLLOUT: i64 = 5 * 60;

/// Once the run has finished steps, this many times the longest of them is a halt, but no less than [`LEAST`] seconds.
const TIMES: i64 = 4;
const LEAST: i64 = 15 * 60;

/// A rollout whose server still generates may take this many times longer.
const WHILE_SERVING: i64 = 4;

/// A server generates if it said so within this many seconds.
const SERVING: i64 = 10 * 60;

/// In a part of a log without any time, an event must follow within this many lines.
const LINES_BEHIND: u64 = 200;

/// The next evaluation, during which the run may do nothing else, may take this many times as long as the longest so far.
const LONGER: i64 = 2;

/// Seconds without progress that are a halt, by the longest step so far and its median duration in seconds, and by the longest evaluation; before the
/// first step by what is expected.
fn patience(run: &Run<'_>, longest: i64, median: Option<f64>, expected: Expected) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "seconds of a step")]
    let step = longest.max(median.unwrap_or(0.0) as i64);
    #[expect(clippy::cast_possible_truncation, reason = "seconds of an evaluation")]
    let evaluations = run.courses().map(|(_, course)| course.longest_evaluation as i64);
    let evaluation = evaluations.max().unwrap_or(0).saturating_mul(LONGER);
    let own = if step > 0 { step.saturating_mul(TIMES).max(LEAST) } else { start(expected) };
    own.max(evaluation)
}

/// Seconds without progress that are a halt before the first step.
fn start(expected: Expected) -> i64 {
    HALT.max(expected.step_seconds.saturating_mul(TIMES)).max(HALT + expected.loading_seconds)
}

/// Whether an inference server still generates.
fn is_served(run: &Run<'_>, now: Option<i64>) -> bool {
    let served = run.courses().filter_map(|(_, course)| course.served_at);
    now.is_some_and(|now| served.into_iter().any(|served| now - aligned(served, now) <= SERVING))
}

/// Finds why a run hangs.
pub(crate) fn halts(run: &Run<'_>, context: RunContext, told: &mut Vec<Named>) {
    weights(run, context, told);
    for (log, course) in run.courses() {
        let Some(stalled) = &course.stalled else { continue };
        if course.waiting.is_some() || course.has_finished(Component::Orchestrator) {
            continue;
        }
        let now = course.clock.now.map(|now| run.now(now));
        let longest = course.orchestrator.longest;
        let is_known = course.orchestrator.count > 0 || course.progress.step_seconds.is_some();
        let mut patience = patience(run, longest, course.progress.step_seconds, context.expected);
        let mut first = FIRST_ROLLOUT.max(context.expected.rollout_seconds);
        if is_served(run, now) {
            (patience, first) = (patience.saturating_mul(WHILE_SERVING), patience);
        }
        let patience = Patience { batch: patience, bar: if is_known { patience } else { first }, is_known };
        if is_stalled(stalled, now, patience, course.lines, course.has_start) {
            let is_at_zero = stalled.batch.bar.done == 0 && stalled.batch.others == 0;
            let name = if is_at_zero { "rollouts-at-zero" } else { "rollouts-stalled" };
            told.push((name, log, stalled.at.clone(), stalled.shown));
        }
    }
}

/// For how many seconds a batch may make no progress.
#[derive(Clone, Copy, Debug)]
struct Patience {
    /// On the clock of the logs.
    batch: i64,
    /// On that of a bar that shows each rollout.
    bar: i64,
    /// Whether these are those of finished steps.
    is_known: bool,
}

/// Whether a batch has made no progress for too long.
fn is_stalled(stalled: &Stalled, now: Option<i64>, patience: Patience, lines: u64, has_start: bool) -> bool {
    let shown = i64::try_from(stalled.seconds.1 - stalled.seconds.0).unwrap_or(i64::MAX);
    if stalled.batch.is_bar && shown >= patience.bar {
        return true;
    }
    if let Some((since, now)) = stalled.since.zip(now) {
        return now - since >= patience.batch;
    }
    // A part of a log, without the beginning and without any time, that somebody kept because of its end.
    let is_end = !patience.is_known && !has_start || lines.saturating_sub(stalled.at.line) >= LINES_BEHIND;
    now.is_none() && stalled.batch.is_bar && stalled.batch.bar.done == 0 && is_end
}

/// Trainer and orchestrator wait for each other.
fn weights(run: &Run<'_>, context: RunContext, told: &mut Vec<Named>) {
    let resumed = run.courses().find_map(|(_, course)| course.resumed.as_ref());
    let can_desync = context.point.is_none_or(|point| point.has(Behaviour::TrainerWaitsForNewestCheckpoint));
    let waiting = run.courses().find_map(|(log, course)| Some((log, course, course.waiting.as_ref()?)));
    let trainer = run.courses().filter(|(_, course)| course.loop_begins.is_some() || course.trainer.count > 0);
    let trainer = trainer.max_by_key(|(_, course)| course.trainer.count);
    let finished = run.courses().flat_map(|(_, course)| &course.finished).find(|(component, _)| *component == Component::Trainer);
    if let Some((log, course, waiting)) = waiting {
        if let Some((_, finished)) = finished {
            // The weights of a later step than the trainer's last will never come. Those of an earlier one may still be on their way.
            let last = trainer.and_then(|(_, course)| course.trainer.last);
            let is_made = waiting.for_step.zip(last).is_some_and(|(step, last)| step <= last);
            let is_after =
                !is_made && finished.zip(waiting.since).is_some_and(|(finished, since)| since > aligned(finished, since));
            let now = course.clock.now.map(|now| run.now(now));
            let is_long = waiting.since.zip(now).is_some_and(|(since, now)| now - since >= HALT);
            if is_after || is_long {
                told.push(("hangs-at-end", log, waiting.at.clone(), 1));
            }
            return;
        }
        // The trainer would have to finish two steps more than it has begun: the orchestrator's steps are not those of this trainer.
        let steps = trainer.map(|(_, course)| course.trainer.count);
        let reached = trainer.and_then(|(_, course)| course.trainer.last).or_else(|| resumed.map(|(step, _)| *step));
        let gap = waiting.for_step.map(|step| step - reached.unwrap_or(0));
        let has_arrivals = run.courses().any(|(_, course)| course.has_arrivals);
        let is_apart =
            !has_arrivals && trainer.is_some() && steps.is_some_and(|steps| steps <= 1) && gap.is_some_and(|gap| gap >= 2);
        let is_excerpt = trainer.is_none() && !course.has_start && course.orchestrator.count == 0 && !context.is_training;
        let since = waiting.since.map(|since| {
            let other =
                trainer.and_then(|(_, course)| course.trainer.last_at.or(course.loop_at)).map(|time| aligned(time, since));
            since.max(other.unwrap_or(since))
        });
        let now = course.clock.now.map(|now| run.now(now));
        let longest = trainer.map_or(0, |(_, course)| course.trainer.longest).max(course.orchestrator.longest);
        let patience = patience(run, longest, course.progress.step_seconds, context.expected);
        let is_long = since.zip(now).is_some_and(|(since, now)| now - since >= patience);
        if !(is_apart || is_excerpt || is_long) {
            return;
        }
        let name = match (resumed, steps) {
            (Some(_), Some(0 | 1)) if can_desync && is_apart => "step-desync",
            (None, Some(0)) if is_apart || is_long && !has_arrivals => "stale-folders",
            _ => "async-barrier",
        };
        told.push((name, log, waiting.at.clone(), 1));
        return;
    }
    // The orchestrator has finished, and the trainer waits for a batch or in the last transfer of weights.
    let done =
        run.courses().flat_map(|(_, course)| &course.finished).find(|(component, _)| *component == Component::Orchestrator);
    if let (Some((_, Some(done))), Some((log, course)), None) = (done, trainer, finished)
        && let (Some(last), Some(begins)) = (course.trainer.last_at, course.loop_begins.as_ref())
        && run.now(last) - aligned(*done, last).max(last)
            >= patience(run, course.trainer.longest, course.progress.step_seconds, context.expected)
    {
        told.push(("hangs-at-end", log, begins.clone(), 1));
        return;
    }
    let Some((log, course)) = trainer.filter(|(_, course)| course.trainer.count == 0) else { return };
    let Some((begins, since)) = course.loop_begins.as_ref().zip(course.loop_at) else { return };
    // The trainer has something to do as soon as the orchestrator has finished a batch. While there is none, the batch is judged.
    let batches = run.courses().filter_map(|(_, course)| course.orchestrator.first_at).map(|time| aligned(time, since)).min();
    let has_orchestrator = run.courses().any(|(_, course)| course.has_start || course.stalled.is_some());
    let now = run.now(since);
    let is_long = now - batches.unwrap_or(since).max(since) >= start(context.expected);
    if is_long && (batches.is_some() || !has_orchestrator) {
        told.push(("stale-folders", log, begins.clone(), 1));
    }
}
