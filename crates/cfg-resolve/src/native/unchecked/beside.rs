//! Values that contradict each other in the trainer, in fine-tuning and beside them, and that no validator compares.

use crate::native::{Failure, ValidatorCtx, model};

/// Only one of trainer and orchestrator logs to Weights & Biases. Until f12e2f2ee the table was below `monitor`.
pub(super) fn wandb_on_one_side(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let (trainer, orchestrator) = if cx.exists("trainer.monitor.wandb") {
        ("trainer.monitor.wandb", "orchestrator.monitor.wandb")
    } else {
        ("trainer.wandb", "orchestrator.wandb")
    };
    let (present, absent) = match (cx.has(trainer), cx.has(orchestrator)) {
        (true, false) => (trainer, orchestrator),
        (false, true) => (orchestrator, trainer),
        _ => return Ok(()),
    };
    let message = format!("`[{present}]` is present, `[{absent}]` is not");
    Err(Failure::value(message, &[present, absent]).help(format!("add `[{absent}]`, or use `[wandb]` for both")))
}

/// Ratios below the one bound are masked, and those above the other, so the first must be the smaller one.
pub(super) fn everything_is_masked(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let (low, high) = ("mask_ratio_low", "mask_ratio_high");
    match (cx.float(low), cx.float(high)) {
        (Some(below), Some(above)) if below >= above => {
            let message = format!("`{low}` is {}, but `{high}` is {}", cx.show(low), cx.show(high));
            Err(Failure::value(message, &[low, high]).help(format!("write a `{low}` below `{high}`")))
        }
        _ => Ok(()),
    }
}

/// A model with image input is trained in bfloat16.
pub(super) fn vision_precision_of_sft(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.has("model.vlm") { model::vlm_precision(cx, ["model.optimization_dtype", "model.reduce_dtype"]) } else { Ok(()) }
}

/// The trainer of reinforcement learning does not split images over GPUs.
pub(super) fn vision_with_context_parallelism(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let degree = "cp";
    if !cx.has("vlm") || cx.int(degree).is_none_or(|degree| degree <= 1) {
        return Ok(());
    }
    let message = format!("the model has image input, and `{degree}` splits its sequences over GPUs");
    Err(Failure::value(message, &[degree, "vlm"]).help("set `cp` to 1"))
}

/// The area that samples are stacked in is a power of two.
pub(super) fn stack_area(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let (length, size) = ("data.seq_len", "data.micro_batch_size");
    if !cx.is("data.pack_function", "stack") || !cx.exists("data.name") {
        return Ok(());
    }
    let (Some(tokens), Some(samples)) = (cx.int(length), cx.int(size)) else { return Ok(()) };
    let area = tokens.saturating_mul(samples);
    if area > 0 && area.count_ones() == 1 {
        return Ok(());
    }
    let message = format!("`{length}` is {tokens} and `{size}` is {samples}, together {area}, which is not a power of two");
    Err(Failure::value(message, &[length, size, "data.pack_function"]).help("write powers of two, or `pack_function = \"cat\"`"))
}

/// Only prime-rl's own model code has this kernel.
pub(super) fn flash_attention_3_with_hf(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let (attn, implementation) = ("model.attn", "model.impl");
    if !cx.is(attn, "flash_attention_3") || !cx.is(implementation, "hf") {
        return Ok(());
    }
    let message =
        format!("`{attn}` is \"flash_attention_3\", but `{implementation}` is \"hf\": only prime-rl's own code has this kernel");
    Err(Failure::value(message, &[implementation, attn]).help("write `impl = \"custom\"`, or `attn = \"flash_attention_2\"`"))
}

/// The package for the ring replaces FlashAttention 2 in transformers' models, and no other kernel.
pub(super) fn ring_of_flash_attention_3_with_hf(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let (degree, attn, implementation) = ("cp", "attn", "impl");
    let is_split = cx.int(degree).is_some_and(|ranks| ranks > 1);
    if !is_split || !cx.is(attn, "flash_attention_3") || !cx.is(implementation, "hf") {
        return Ok(());
    }
    let message = format!(
        "`{degree}` is {} and `{attn}` is \"flash_attention_3\", which is no ring where `{implementation}` is \"hf\"",
        cx.show(degree)
    );
    Err(Failure::value(message, &[attn, degree, implementation])
        .help("write `attn = \"flash_attention_2\"`, or `impl = \"custom\"`"))
}

/// vLLM accepts only these ranks.
pub(super) fn lora_rank_of_vllm(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    const RANKS: [i128; 9] = [1, 8, 16, 32, 64, 128, 256, 320, 512];
    let Some(rank) = cx.int("max_lora_rank").filter(|_| cx.bool("enable_lora")) else { return Ok(()) };
    if RANKS.contains(&rank) {
        return Ok(());
    }
    let next = RANKS.into_iter().find(|valid| *valid > rank).unwrap_or(512);
    let message = format!("`max_lora_rank` is {rank}, but vLLM takes only 1, 8, 16, 32, 64, 128, 256, 320 and 512");
    Err(Failure::value(message, &["max_lora_rank", "enable_lora"]).help(format!("train adapters of rank {next}")))
}

/// The trainer packs the rollouts since it got this length, and cuts what is longer.
pub(super) fn training_sequence_below_rollouts(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let (trainer, orchestrator) = ("trainer.model.seq_len", "orchestrator.seq_len");
    match (cx.int(trainer), cx.int(orchestrator)) {
        (Some(length), Some(made)) if length < made => {
            let message = format!("`{trainer}` is {length}, but `{orchestrator}` is {made}");
            Err(Failure::value(message, &[trainer, orchestrator]).help(format!("write {made} for both")))
        }
        _ => Ok(()),
    }
}
