//! The sampling temperature is one number, or a schedule with an end.

use crate::{
    ResolvedValue,
    native::{Failure, ValidatorCtx},
};

/// Only one of the two may be given; the default is 1.
pub(super) fn one_of_two(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let has_schedule = cx.has("sampling.temp_scheduler");
    match cx.float("sampling.temperature") {
        Some(temperature) if has_schedule => {
            return Err(Failure::value(
                format!("`sampling.temperature` {temperature} and `sampling.temp_scheduler` both set the temperature"),
                &["sampling.temperature", "sampling.temp_scheduler"],
            )
            .help("remove one of the two"));
        }
        None if !has_schedule => cx.set("sampling.temperature", ResolvedValue::Float(1.0)),
        _ => {}
    }
    if has_schedule && !cx.has("sampling.temp_scheduler.total_steps") && !cx.has("max_steps") {
        return Err(Failure::value(
            "the temperature schedule has no end: neither `sampling.temp_scheduler.total_steps` nor `max_steps` is set",
            &["sampling.temp_scheduler.total_steps", "max_steps"],
        )
        .help("set one of the two"));
    }
    Ok(())
}
