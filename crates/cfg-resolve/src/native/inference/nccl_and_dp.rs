//! Weights sent over NCCL reach only one data-parallel rank, so prime-rl refuses more ranks.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let dp = cx.int("parallel.dp").unwrap_or(1);
    if cx.is("weight_broadcast.type", "nccl") && dp != 1 {
        let message =
            format!("`weight_broadcast.type` is \"nccl\", but `parallel.dp` is {dp}: NCCL weight broadcast works with one rank");
        return Err(Failure::value(message, &["parallel.dp", "weight_broadcast.type"])
            .help("set `parallel.dp = 1`, or `weight_broadcast.type = \"filesystem\"`"));
    }
    Ok(())
}
