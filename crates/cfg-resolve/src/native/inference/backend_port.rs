//! Behind a router, the engines' port is 100 above that of the server, unless a port is given.

use crate::native::{Failure, ValidatorCtx};
pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.has("router")
        && !cx.is_set("backend_port")
        && let Some(port) = cx.int("server.port")
    {
        cx.from("server.port").set_int("backend_port", port.saturating_add(100));
    }
    Ok(())
}
