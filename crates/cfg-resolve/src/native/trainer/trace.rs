//! A trace contains every kernel of every step and soon fills a disk, so a traced run must end before its tenth step.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.has("trace_path") {
        return Ok(());
    }
    let message = match cx.int("max_steps") {
        None => "`trace_path` is set, but `max_steps` is not: a trace grows with every step".to_owned(),
        Some(steps) if steps >= 10 => {
            format!("`trace_path` is set, but `max_steps` is {steps}: a trace of that many steps is huge")
        }
        Some(_) => return Ok(()),
    };
    Err(Failure::value(message, &["trace_path", "max_steps"]).help("write a `max_steps` below 10, or remove `trace_path`"))
}
