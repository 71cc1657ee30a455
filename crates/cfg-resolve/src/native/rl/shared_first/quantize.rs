//! Quantized weights can be sent only over NCCL, to an inference server of this config, from prime-rl's own model code. The engine's expert load
//! balancing requires them.

use super::engine::engine;
use crate::native::{Failure, ValidatorCtx};

const QUANTIZE: &str = "weight_broadcast.quantize_in_weight_transfer";

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.bool(QUANTIZE) {
        return Ok(());
    }
    if !cx.is("weight_broadcast.type", "nccl") {
        return Err(Failure::value(
            format!("`{QUANTIZE}` is true, but `weight_broadcast.type` is not \"nccl\""),
            &[QUANTIZE, "weight_broadcast.type"],
        )
        .help("set `weight_broadcast.type = \"nccl\"`"));
    }
    if !cx.has("inference") {
        return Err(Failure::value(format!("`{QUANTIZE}` is true, but there is no `inference` table"), &[QUANTIZE, "inference"])
            .help("add an `[inference]` table, or send unquantized weights"));
    }
    if !cx.is("trainer.model.impl", "custom") {
        let implementation = cx.str("trainer.model.impl").unwrap_or_default();
        let message = format!("`{QUANTIZE}` is true, but `trainer.model.impl` is \"{implementation}\"");
        return Err(Failure::value(message, &[QUANTIZE, "trainer.model.impl"]).help("set `trainer.model.impl = \"custom\"`"));
    }
    Ok(())
}

/// The engine's expert load balancing requires quantized weights.
pub(super) fn eplb(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let eplb = engine(cx.point).eplb;
    let is_quantized = cx.bool("trainer.weight_broadcast.quantize_in_weight_transfer");
    if !cx.bool(eplb) || (is_quantized && cx.tag("trainer.weight_broadcast") == Some("nccl")) {
        return Ok(());
    }
    Err(Failure::value(
        format!("`{eplb}` is true, but the weights are not sent quantized over NCCL"),
        &[eplb, "weight_broadcast.type", QUANTIZE],
    )
    .help(format!("set `weight_broadcast.type = \"nccl\"` and `{QUANTIZE} = true`")))
}
