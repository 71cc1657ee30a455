//! The dashboard shows only rollouts of the process in which it runs.

use cfg_schema::Behaviour;

use crate::native::{Failure, ValidatorCtx};

/// A server is not allowed: it runs rollouts in another process.
pub(super) fn in_process(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.bool("server") || !cx.bool("rich") {
        return Ok(());
    }
    if cx.point.has(Behaviour::NestedEnvs) && !cx.is_set("rich") {
        cx.set_bool("rich", false);
        return Ok(());
    }
    Err(Failure::value("the dashboard (`rich`) can't show rollouts that run through `server`", &["rich", "server"])
        .help("write `rich = false`"))
}
