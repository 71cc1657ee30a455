//! Quantizing weights for the broadcast works over NCCL, to a server of this run, from prime-rl's own model code.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let key = "weight_broadcast.quantize_in_weight_transfer";
    if !cx.bool(key) {
        return Ok(());
    }
    if !cx.is("weight_broadcast.type", "nccl") {
        let message = format!("`{key}` is true, but `weight_broadcast.type` is not \"nccl\"");
        return Err(Failure::value(message, &[key, "weight_broadcast.type"]).help("set `weight_broadcast.type = \"nccl\"`"));
    }
    if !cx.has("inference") {
        let message = format!("`{key}` is true, but there is no `[inference]` table to quantize for");
        return Err(Failure::value(message, &[key, "inference"]).help("add `[inference]`"));
    }
    if !cx.is("trainer.model.impl", "custom") {
        let given = cx.str("trainer.model.impl").unwrap_or_default();
        let message = format!(
            "`{key}` is true, but `trainer.model.impl` is \"{given}\": only prime-rl's custom implementations \
            quantize"
        );
        return Err(Failure::value(message, &["trainer.model.impl", key]).help("set `trainer.model.impl = \"custom\"`"));
    }
    Ok(())
}
