//! How new weights reach the inference server: a direct transfer between memories allows a lag of only one step, and no adapters.

use cfg_schema::Behaviour;

use crate::native::{Failure, ValidatorCtx};

pub(super) fn one_step_behind(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    // 385538edb renamed the level.
    let level = if cx.exists("max_async_level") { "max_async_level" } else { "async_level" };
    if !cx.is("weight_broadcast.type", "nccl") || cx.int(level) == Some(1) {
        return Ok(());
    }
    let message =
        format!("`{level}` is {}, but `weight_broadcast.type` is \"nccl\", which can be only one step behind", cx.show(level));
    Err(Failure::value(message, &[level, "weight_broadcast.type"])
        .help(format!("write `{level} = 1`, or `type = \"filesystem\"` under `weight_broadcast`")))
}

pub(super) fn lora(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let lora = if cx.exists("model.lora") { "model.lora" } else { "model.experimental.lora" };
    // Between 29be89daf and 72e954806 LoRA turned `adapter_only` on; since then that switch does not exist.
    if cx.point.lacks(Behaviour::NoAdapterOnly) {
        if cx.point.has(Behaviour::LoraSendsAdapters) && cx.has(lora) {
            cx.set_bool("weight_broadcast.adapter_only", true);
        }
        if !cx.bool("weight_broadcast.adapter_only") {
            return Ok(());
        }
        if !cx.has(lora) {
            let message =
                format!("`weight_broadcast.adapter_only` is true, but `{lora}` is not set: there is no adapter to send");
            return Err(Failure::value(message, &["weight_broadcast.adapter_only", lora])
                .help(format!("add a `[{lora}]` table, or write `adapter_only = false`")));
        }
    } else if !cx.has(lora) {
        return Ok(());
    }
    // c505e07a1 added a second way of direct transfer.
    if cx.is("weight_broadcast.type", "nccl") || cx.is("weight_broadcast.type", "nixl") {
        let message = format!(
            "`{lora}` is set, but `weight_broadcast.type` is {}, which can't send adapters",
            cx.show("weight_broadcast.type")
        );
        return Err(Failure::value(message, &["weight_broadcast.type", lora])
            .help("broadcast weights with `type = \"filesystem\"` under `weight_broadcast`, which has none of the keys for direct transfer"));
    }
    Ok(())
}
