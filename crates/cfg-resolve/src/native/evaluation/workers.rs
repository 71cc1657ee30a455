//! How many workers serve an environment that is started by itself.

use cfg_schema::Behaviour;

use crate::native::{Failure, ValidatorCtx};

/// A number has to be given, later it is one.
pub(super) fn number(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.is("env.num_workers", "auto") {
        return Ok(());
    }
    if cx.point.has(Behaviour::OneWorker) {
        cx.set_int("env.num_workers", 1);
        return Ok(());
    }
    Err(Failure::value("an environment that is served by itself needs a number of workers", &["env.num_workers"])
        .help("write `num_workers = 1`"))
}
