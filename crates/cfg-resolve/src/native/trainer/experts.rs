//! Only prime-rl's own model code can distribute experts over GPUs, and replay what the router selected. With `deepep` the gradients can't be
//! clipped, so clipping is turned off.

use cfg_schema::Behaviour;

use crate::native::{Failure, ValidatorCtx, model};

pub(super) fn own_code(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    // "auto", which is allowed here since c5afcaa2e, selects what the implementation supports. Since then the check applies to 0 too.
    let spread = cx.int("model.ep").is_some_and(|ep| if cx.point.lacks(Behaviour::AutoEp) { ep > 1 } else { ep != 1 });
    if !spread || model::own_code(cx, "model.impl") {
        return Ok(());
    }
    let message = format!(
        "`model.ep` is {}, but `model.impl` is {}: expert parallelism needs prime-rl's custom implementation",
        cx.show("model.ep"),
        cx.show("model.impl")
    );
    Err(Failure::value(message, &["model.ep", "model.impl"]).help("write `impl = \"custom\"` or `impl = \"auto\"`, or `ep = 1`"))
}

pub(super) fn router_replay(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.bool("enable_router_replay") || model::own_code(cx, "model.impl") {
        return Ok(());
    }
    let message = format!(
        "`enable_router_replay` is true, but `model.impl` is {}: only prime-rl's custom implementation can replay the router's \
         choices",
        cx.show("model.impl")
    );
    Err(Failure::value(message, &["enable_router_replay", "model.impl"])
        .help("write `impl = \"custom\"` or `impl = \"auto\"`, or remove `enable_router_replay`"))
}
pub(super) fn deepep(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.is("model.ep_comm_backend", "deepep") && cx.has("optim.max_norm") {
        cx.from("model.ep_comm_backend").set_null("optim.max_norm");
    }
    Ok(())
}
