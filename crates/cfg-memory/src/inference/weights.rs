//! Served weights, and slots for adapters (memory model, section 3).

use super::Inference;
use crate::{
    architecture::{Architecture, Mla},
    trainer::Lora,
    units::Bytes,
};

/// Bytes of a number in bf16.
const BF16: f64 = 2.0;

/// The weights on one GPU.
pub(super) fn served(inference: &Inference, model: &Architecture) -> Bytes {
    let (whole, tensor_parallel) = (inference.precision.bytes(model), f64::from(inference.tensor_parallel.max(1)));
    let spread = f64::from(inference.expert_parallel).max(tensor_parallel);
    let all = model.parameters();
    // The experts' part of the weights is that of their parameters: both are mostly in the same format.
    let experts = if all > 0.0 { whole * (model.expert_parameters() / all) } else { Bytes::ZERO };
    experts / spread + (whole - experts) / tensor_parallel + copies(inference, model) + drafting(inference, model, spread)
}

/// Layers for multi-token prediction, if vLLM drafts with them. They are stored like the other layers, and share embedding and LM head.
fn drafting(inference: &Inference, model: &Architecture, spread: f64) -> Bytes {
    let layers = if inference.draft_layers(model) > 0 { model.mtp_parameters() } else { 0.0 };
    let bytes = inference.precision.format.per_weight() * layers;
    Bytes::new(bytes / if model.moe.is_some() { spread } else { f64::from(inference.tensor_parallel.max(1)) })
}

/// What a GPU has in addition to its shard: modules that tensor parallelism doesn't split, and the projections of keys and values if there are fewer
/// heads than GPUs.
fn copies(inference: &Inference, model: &Architecture) -> Bytes {
    let tensor_parallel = f64::from(inference.tensor_parallel.max(1));
    let missing = 1.0 - 1.0 / tensor_parallel;
    let bytes = inference.precision.format.per_weight();
    let replicated = bytes * model.replicated_parameters() * missing;
    // vLLM splits the projection out of the latent into bf16 copies for keys and values if the weights are quantised. Compressed ones have none.
    let is_split = |mla: &Mla| inference.precision.format.is_quantised() && mla.compressed.is_none();
    let absorbed = model.mla.filter(is_split).map_or(0.0, |mla| {
        let width = f64::from(model.heads) * (f64::from(mla.qk_nope) + f64::from(mla.value));
        BF16 * f64::from(model.attention_layers() + model.window_layers()) * f64::from(mla.kv_rank) * width / tensor_parallel
    });
    let heads = f64::from(model.kv_heads.max(1));
    let of_heads = if model.mla.is_none() && tensor_parallel > heads {
        let width = f64::from(model.head_dim) + f64::from(model.value_dim.unwrap_or(model.head_dim));
        let layers = f64::from(model.attention_layers() + model.window_layers());
        bytes * layers * f64::from(model.hidden) * width * (1.0 - heads / tensor_parallel)
    } else {
        0.0
    };
    Bytes::new(replicated + absorbed + of_heads)
}

/// The slots for adapters on one GPU: each has the size of an adapter of the largest rank on all targets.
pub(super) fn adapters(inference: &Inference, model: &Architecture) -> Bytes {
    inference.lora.map_or(Bytes::ZERO, |slots| {
        let adapter = Bytes::new(BF16 * Lora::of_rank(slots.max_rank).parameters(model));
        adapter * f64::from(slots.count) / f64::from(inference.tensor_parallel.max(1))
    })
}
