//! The scheduler's phases must fit into the run's steps; in early prime-rl the decay uses the steps after the warmup. Without the check, a run could
//! end before the learning rate has decayed.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.is("scheduler.type", "constant") {
        return Ok(());
    }
    let Some(steps) = cx.int("max_steps") else {
        let message =
            format!("`scheduler.type` is {}, but `max_steps` is not set: its phases need an end", cx.show("scheduler.type"));
        return Err(
            Failure::value(message, &["scheduler.type", "max_steps"]).help("set `max_steps`, or write `type = \"constant\"`")
        );
    };
    let warmup = cx.int("scheduler.warmup_steps").unwrap_or_default();
    match cx.int("scheduler.decay_steps") {
        None if warmup > steps => {
            let message = format!("`scheduler.warmup_steps` is {warmup}, but `max_steps` is {steps}: the warmup would never end");
            Err(Failure::value(message, &["scheduler.warmup_steps", "max_steps"]).help(format!("write {steps} or less")))
        }
        None => {
            cx.from("max_steps").set_int("scheduler.decay_steps", steps.saturating_sub(warmup));
            Ok(())
        }
        Some(decay) if warmup.saturating_add(decay) > steps => Err(too_long(warmup, decay, steps)),
        Some(_) => Ok(()),
    }
}

/// The refusal if warmup and decay take more steps than the run has.
pub(super) fn too_long(warmup: i128, decay: i128, steps: i128) -> Failure {
    let sum = warmup.saturating_add(decay);
    let message = format!(
        "`scheduler.warmup_steps` is {warmup} and `scheduler.decay_steps` is {decay}, {sum} together, but `max_steps` is {steps}"
    );
    Failure::value(message, &["scheduler.decay_steps", "scheduler.warmup_steps", "max_steps"])
        .help(format!("shorten the phases to {steps} steps together, or raise `max_steps`"))
}
