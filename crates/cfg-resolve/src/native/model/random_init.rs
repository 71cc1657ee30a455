//! Random weights are created only if the model is first built without memory, on the meta device.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.bool("debug.random_init") || cx.bool("load_using_meta") {
        return Ok(());
    }
    let message = "`debug.random_init` is true, but `load_using_meta` is false: random weights need the meta device";
    Err(Failure::value(message, &["debug.random_init", "load_using_meta"]).help("write `load_using_meta = true`"))
}
