//! The number of workers of an environment that is served on its own.

use cfg_schema::Behaviour;

use crate::native::{Failure, ValidatorCtx};

/// At first versions the number is required; later it has a default.
pub(super) fn number(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.is("env.num_workers", "auto") {
        return Ok(());
    }
    if cx.point.has(Behaviour::OneWorker) {
        cx.set_int("env.num_workers", 1);
        return Ok(());
    }
    Err(Failure::value("the server of an environment needs a number of workers", &["env.num_workers"])
        .help("write `num_workers = 1`"))
}
