//! vLLM's expert load balancing moves experts between ranks; prime-rl can then update them only with quantized weights over NCCL.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let quantizes =
        cx.is("trainer.weight_broadcast.type", "nccl") && cx.bool("trainer.weight_broadcast.quantize_in_weight_transfer");
    if !cx.bool("inference.enable_eplb") || quantizes {
        return Ok(());
    }
    let message = "`inference.enable_eplb` is true, but weights are not sent quantized over NCCL: experts that vLLM has moved \
        would get \
         stale weights";
    let ends = ["inference.enable_eplb", "trainer.weight_broadcast.type"];
    Err(Failure::value(message, &ends).help(
        "set `weight_broadcast = { type = \"nccl\", quantize_in_weight_transfer = true }`, or `inference.enable_eplb = false`",
    ))
}
