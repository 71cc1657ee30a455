//! Adapters (LoRA). What separate files of one run say of them is `split/adapter_not_served.rs`; prime-rl's own checks are in `cfg_resolve`.

use cfg_plan::{Fact, Lora};

use crate::Context;

pub(crate) mod adapter_name;
pub(crate) mod elastic_without_adapter;
pub(crate) mod lora_cpu_offload;
pub(crate) mod lora_dropout;
pub(crate) mod lora_in_memory_broadcast;
pub(crate) mod lora_rank_rounded;
pub(crate) mod lora_scale;
pub(crate) mod lora_targets;
pub(crate) mod modules_to_save;

/// The trainer's adapters, if it has any.
fn adapters<'a>(cx: &Context<'a>) -> Option<&'a Fact<Lora>> {
    cx.plan.trainer.as_ref()?.model.lora.fact()
}

/// Whether the trainer sends all weights except for the adapter's, with the modules that it trains in full: until 2025-12 the adapter was sent only
/// with `adapter_only`.
fn sends_no_adapter(cx: &Context<'_>) -> bool {
    let broadcast = cx.plan.trainer.as_ref().and_then(|trainer| trainer.weight_broadcast.value());
    broadcast.is_some_and(|broadcast| broadcast.adapter_only.get() == Some(false))
}
