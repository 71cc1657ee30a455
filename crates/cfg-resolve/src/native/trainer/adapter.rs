//! An adapter can be saved separately only if there is one, that is with `model.lora`.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    // 8518c157c moved the weights below `ckpt`, e25953539 moved LoRA out of `experimental`.
    let at_root = cx.exists("weights");
    let separately = if at_root { "weights.save_adapter_separately" } else { "ckpt.weights.save_adapter_separately" };
    let lora = if cx.exists("model.lora") { "model.lora" } else { "model.experimental.lora" };
    if !cx.bool(separately) || cx.has(lora) {
        return Ok(());
    }
    Err(Failure::value(
        format!("`{separately}` is true, but `{lora}` is not set: there is no adapter to save"),
        &[separately, lora],
    )
    .help(format!("add a `[{lora}]` table, or write `save_adapter_separately = false`")))
}
