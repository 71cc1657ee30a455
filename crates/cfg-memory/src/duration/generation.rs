//! Tokens that vLLM generates in a second: bounds from the memory bandwidth and from the number of sequences that are decoded at a time. Nothing here
//! was measured; `schemas/speed.toml` has the assumed values.

use crate::{
    architecture::Architecture,
    inference::{Budget, Inference},
};

use crate::duration::{
    Range,
    table::{Card, GENERATING, Generating},
};

/// Tokens in a second of one server with `replicas` copies of the model, for this number of rollouts in progress with this average sequence length;
/// the lower number gives the upper bound.
///
/// A decoding step reads the weights once (of routed experts, only those that a token has chosen) and the keys and values of each sequence. It
/// computes 2 operations for each active weight and sequence, and each layer has a short delay. Sequences beyond the KV cache or `max_num_seqs` wait.
pub fn tokens_per_second(
    server: &Inference,
    budget: &Budget,
    model: &Architecture,
    card: &Card,
    replicas: f64,
    in_flight: f64,
    length: Range,
) -> Range {
    let tensor_parallel = f64::from(server.tensor_parallel.max(1));
    let bound = server.max_num_seqs.map_or(GENERATING.max_num_seqs, f64::from);
    let wait = if server.enforce_eager { GENERATING.wait_eager } else { GENERATING.wait };
    let (active, routed) = active(model);
    let weights = budget.weights.as_f64();
    let rate = |length: f64, under_way: f64, bandwidth: f64, compute: f64, wait: f64| {
        let cached = budget.kv.expected().as_f64() / length.max(1.0);
        let sequences = (in_flight * under_way / replicas).min(cached).clamp(1.0, bound.max(1.0));
        let untouched = model.moe.map_or(0.0, |moe| {
            let chosen = (f64::from(moe.top_k) / f64::from(moe.experts.max(1))).min(1.0);
            routed / model.parameters() * (1.0 - chosen).powf(sequences)
        });
        let read = weights * (1.0 - untouched) + sequences * length * budget.kv.growth().as_f64();
        let computed = 2.0 * active * sequences / tensor_parallel;
        let seconds = (read / (card.memory * bandwidth)).max(computed / (card.bf16 * compute)) + wait * f64::from(model.layers);
        replicas * sequences / seconds
    };
    let Generating { under_way, bandwidth, compute, .. } = GENERATING;
    Range {
        low: rate(length.high, under_way.low, bandwidth.low, compute.low, wait.low),
        high: rate(length.low, under_way.high, bandwidth.high, compute.high, wait.high),
    }
}

/// The parameters that a token uses, and those of all routed experts.
fn active(model: &Architecture) -> (f64, f64) {
    let Some(moe) = model.moe else { return (model.parameters(), 0.0) };
    let routed = model.expert_parameters();
    let expert = routed / f64::from(moe.experts.max(1));
    (model.parameters() - routed + expert * f64::from(moe.top_k), routed)
}
