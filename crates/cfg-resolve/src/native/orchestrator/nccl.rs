//! Weights sent by NCCL are received while the step runs, so the orchestrator may be exactly one step ahead.

use crate::native::{Failure, ValidatorCtx};

/// NCCL requires an asynchronous level of one.
pub(super) fn async_level(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let path = if cx.exists("max_async_level") { "max_async_level" } else { "async_level" };
    match cx.int(path) {
        Some(level) if level != 1 && cx.is("weight_broadcast.type", "nccl") => Err(Failure::value(
            format!("`weight_broadcast.type` \"nccl\" needs `{path} = 1`, not {level}"),
            &[path, "weight_broadcast.type"],
        )
        .help(format!("write `{path} = 1`, or `type = \"filesystem\"` below `[weight_broadcast]`"))),
        _ => Ok(()),
    }
}
