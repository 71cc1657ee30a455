//! The settings of the inference server.

use cfg_memory::{
    Bytes, Tokens,
    inference::{Inference, LoraSlots},
    prime_rl::{Date, Vllm},
};

/// prime-rl's default for `gpu_memory_utilization`, at every point.
const UTILIZATION: f64 = 0.9;

/// The settings of the inference server of a plan.
pub(super) fn inference(own: &crate::Inference, date: Date, weights_on_disk: Option<Bytes>) -> Inference {
    let tokens = |count: Option<i64>| count.and_then(|count| u64::try_from(count).ok()).filter(|count| *count > 0).map(Tokens);
    let count = |count: Option<i64>| count.and_then(|count| u32::try_from(count).ok()).filter(|count| *count > 0);
    let slots = || Some(LoraSlots { count: count(own.max_loras.get())?, max_rank: count(own.max_lora_rank.get())? });
    let is_fp8 = own.kv_cache_dtype.text().is_some_and(|dtype| dtype.starts_with("fp8"));
    Inference {
        vllm: Vllm::of_prime_rl(date),
        tensor_parallel: count(own.tp.get()).unwrap_or(1),
        gpu_memory_utilization: own.gpu_memory_utilization.get().unwrap_or(UTILIZATION),
        max_model_len: tokens(own.max_model_len.get()),
        max_num_seqs: count(own.max_num_seqs.get()),
        max_num_batched_tokens: tokens(own.max_num_batched_tokens.get()),
        enforce_eager: own.enforce_eager.is_on(),
        lora: own.enable_lora.is_on().then(slots).flatten(),
        kv_bytes: if is_fp8 { 1 } else { 2 },
        weights_on_disk,
    }
}
