//! The phases of a linear or cosine schedule are compared with the run's steps when the config is loaded, not when the run starts.

use super::scheduler::too_long;
use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let steps = cx.int("max_steps");
    let warmup = cx.int("scheduler.warmup_steps").unwrap_or_default();
    let decay = cx.int("scheduler.decay_steps").unwrap_or_default();
    if cx.is("scheduler.type", "linear") {
        linear(warmup, decay, steps)
    } else if cx.is("scheduler.type", "cosine") {
        cosine(warmup, steps)
    } else {
        Ok(())
    }
}

fn linear(warmup: i128, decay: i128, steps: Option<i128>) -> Result<(), Failure> {
    if warmup == 0 && decay == 0 {
        let message = "`scheduler.warmup_steps` and `scheduler.decay_steps` are both 0: the schedule is empty";
        return Err(Failure::value(message, &["scheduler.warmup_steps", "scheduler.decay_steps"])
            .help("write `type = \"constant\"`, or set one of them"));
    }
    match steps {
        None if decay > 0 => {
            let message =
                format!("`scheduler.decay_steps` is {decay}, but `max_steps` is not set: the decay ends where the run ends");
            Err(Failure::value(message, &["scheduler.decay_steps", "max_steps"])
                .help("set `max_steps`, or write `decay_steps = 0`"))
        }
        Some(steps) if decay > 0 && warmup.saturating_add(decay) > steps => Err(too_long(warmup, decay, steps)),
        _ => Ok(()),
    }
}

fn cosine(warmup: i128, steps: Option<i128>) -> Result<(), Failure> {
    match steps {
        None => {
            let message = "`scheduler.type` is \"cosine\", but `max_steps` is not set: the curve ends where the run ends";
            Err(Failure::value(message, &["scheduler.type", "max_steps"]).help("set `max_steps`"))
        }
        Some(steps) if warmup >= steps => {
            let message =
                format!("`scheduler.warmup_steps` is {warmup}, but `max_steps` is {steps}: no step is left for the decay");
            Err(Failure::value(message, &["scheduler.warmup_steps", "max_steps"])
                .help("shorten the warmup, or raise `max_steps`"))
        }
        Some(_) => Ok(()),
    }
}
