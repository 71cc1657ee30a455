//! With the whole optimizer in main memory, updates run during the backward pass: only some optimizers support that, and gradients are not clipped,
//! because their norm is known too late.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn adamw(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    optimizer(cx, &["adamw"])
}

pub(super) fn adamw_or_sign_sgd(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    optimizer(cx, &["adamw", "sign_sgd"])
}
pub(super) fn no_clipping(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.has("model.full_offload") && cx.has("optim.max_norm") {
        cx.set_null("optim.max_norm");
    }
    Ok(())
}

fn optimizer(cx: &ValidatorCtx<'_>, able: &[&str]) -> Result<(), Failure> {
    if !cx.has("model.full_offload") || able.iter().any(|name| cx.is("optim.type", name)) {
        return Ok(());
    }
    let message = format!(
        "`model.full_offload` is on, but `optim.type` is {}, which can't be updated during the backward pass",
        cx.show("optim.type")
    );
    let names: Vec<String> = able.iter().map(|name| format!("\"{name}\"")).collect();
    Err(Failure::value(message, &["model.full_offload", "optim.type"])
        .help(format!("set `type` under `optim` to {}, or write `full_offload = false`", names.join(" or "))))
}
