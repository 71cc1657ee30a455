//! What the schedulers of the learning rate do with phases that do not fit into the run. The trainer makes them when it starts.

use crate::native::{Failure, ValidatorCtx, trainer};

/// The assertions that end the trainer when it makes the schedule.
pub(super) fn asserts(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let cosine_with_end = cx.is("scheduler.type", "cosine") && cx.int("max_steps").is_some();
    if cosine_with_end { Ok(()) } else { trainer::scheduler_steps(cx) }
}

/// A cosine over no steps: its first step divides by zero. That is the last step of the run.
pub(super) fn cosine_without_steps(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if is_cosine_that(cx, |warmup, steps| warmup == steps && warmup > 0) { trainer::scheduler_steps(cx) } else { Ok(()) }
}

/// A warmup that is longer than the run: the cosine is never reached.
pub(super) fn cosine_after_end(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if is_cosine_that(cx, |warmup, steps| warmup > steps) { trainer::scheduler_steps(cx) } else { Ok(()) }
}

fn is_cosine_that(cx: &ValidatorCtx<'_>, is_so: fn(i128, i128) -> bool) -> bool {
    let warmup = cx.int("scheduler.warmup_steps").unwrap_or_default();
    cx.is("scheduler.type", "cosine") && cx.int("max_steps").is_some_and(|steps| is_so(warmup, steps))
}

/// A linear decay of one step interpolates over `decay_steps - 1`, that is zero, steps.
pub(super) fn one_step_of_decay(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let phases = (cx.int("scheduler.warmup_steps").unwrap_or_default(), cx.int("max_steps"));
    let (warmup, Some(steps)) = phases else { return Ok(()) };
    if !cx.is("scheduler.type", "linear")
        || cx.int("scheduler.decay_steps") != Some(1)
        || warmup.saturating_add(1) > steps
        || steps < 2
    {
        return Ok(());
    }
    let message = "`scheduler.decay_steps` is 1: the decay divides by the number of its steps after the first";
    Err(Failure::value(message, &["scheduler.decay_steps"]).help("write `decay_steps = 0` or at least 2"))
}
