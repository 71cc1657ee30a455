//! The amount of work of a GPU for one optimizer step.

use crate::{
    architecture::Architecture,
    trainer::{Checkpointing, Trainer},
};

use crate::duration::table::Window;

/// The work of one GPU in one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// Tokens.
    pub tokens: f64,
    /// Floating-point operations of projections and MLPs that every token uses.
    pub dense: f64,
    /// Floating-point operations of routed and shared experts.
    pub experts: f64,
    /// Floating-point operations of attention itself: scores and their sums over values.
    pub attention: f64,
    /// Floating-point operations of the LM head.
    pub head: f64,
    /// Tokens times channels of all layers: residual stream, queries, keys, values and MLP.
    pub channels: f64,
    /// Tokens times chosen experts times hidden channels of all layers with experts.
    pub dispatched: f64,
    /// Tokens times entries of the vocabulary.
    pub logits: f64,
    /// Layers times micro-batches.
    pub layers: f64,
    /// Experts of all layers times micro-batches.
    pub expert_layers: f64,
    /// Bytes that other GPUs send: gathered weights, and gradients.
    pub exchanged: f64,
    /// Whether only adapters are trained.
    pub is_lora: bool,
    /// Whether it is supervised fine-tuning, which computes the LM head in bfloat16.
    pub is_sft: bool,
}

/// Selective checkpointing computes norms and activation functions again, but few matrices: an assumption.
const SELECTIVE: f64 = 0.1;

/// Bytes of a gathered weight, and of a returned gradient.
const GATHERED: f64 = 2.0;
const REDUCED: f64 = 4.0;

impl Work {
    /// The work of a trainer with this number of micro-batches on each GPU.
    ///
    /// Multiplying a matrix by a token takes 2 operations for each weight. The backward pass needs two such multiplications; the one for the weights'
    /// own gradients is not needed if only adapters are trained. Checkpointing repeats the forward pass of a layer. Attention is causal: a sequence
    /// of T tokens has T²/2 pairs, each 4 operations for each channel of the queries, and 2.5 times as many in the backward pass (FlashAttention 2,
    /// section 4.1).
    pub fn of(model: &Architecture, window: Option<&Window>, trainer: &Trainer, micro_batches: f64, is_sft: bool) -> Self {
        let count = |number: u32| f64::from(number);
        let (hidden, layers) = (count(model.hidden), count(model.layers));
        let sequences = micro_batches * count(trainer.micro_batch.max(1));
        let split = count(trainer.context_parallel.max(1));
        let length = trainer.seq_len.as_f64();
        let tokens = sequences * length / split;
        let repeated = match trainer.checkpointing {
            Checkpointing::None => 0.0,
            Checkpointing::Selective => SELECTIVE,
            Checkpointing::Full { every, .. } => 1.0 / count(every.max(1)),
        };
        let is_lora = trainer.lora.is_some();
        let passes = if is_lora { 4.0 } else { 6.0 };
        let per_weight = passes + 2.0 * repeated;

        let dense_layers = model.moe.map_or(layers, |moe| count(moe.dense_layers.min(model.layers)));
        let projections = layers * model.attention_parameters() + dense_layers * 3.0 * hidden * count(model.intermediate);
        let mut channels = layers * (hidden + model.attention_channels()) + dense_layers * count(model.intermediate);
        let (mut experts, mut dispatched, mut expert_layers) = (0.0, 0.0, 0.0);
        if let Some(moe) = model.moe {
            let with_experts = layers - dense_layers;
            let used = count(moe.top_k) + count(moe.shared_experts);
            experts = with_experts * (3.0 * hidden * count(moe.intermediate) * used + hidden * count(moe.experts));
            channels += with_experts * count(moe.intermediate) * used;
            dispatched = with_experts * count(moe.top_k) * hidden * tokens;
            expert_layers = with_experts * count(moe.experts) * micro_batches;
        }

        let full = length * length / 2.0;
        let of_layers = match window {
            Some(window) if window.tokens < length => {
                let all = (layers / count(window.full_every.max(1))).floor();
                let part = length * window.tokens - window.tokens * window.tokens / 2.0;
                all * full + (layers - all) * part
            }
            _ => layers * full,
        };
        let attention = 4.0 * model.query_channels() * of_layers * (3.5 + repeated) * sequences / split;
        let exchanged = if trainer.gpus > 1 {
            let shards = count((trainer.gpus / trainer.replicas.max(1)).max(1));
            let gathered = 2.0 * GATHERED + if is_lora { 0.0 } else { REDUCED };
            gathered * model.parameters() * micro_batches * (shards - 1.0) / shards
        } else {
            0.0
        };
        Self {
            tokens,
            dense: per_weight * projections * tokens,
            experts: per_weight * experts * tokens,
            attention,
            head: passes * model.embedding_parameters() * tokens,
            channels: channels * tokens,
            dispatched,
            logits: count(model.vocab) * tokens,
            layers: layers * micro_batches,
            expert_layers,
            exchanged,
            is_lora,
            is_sft,
        }
    }
}
