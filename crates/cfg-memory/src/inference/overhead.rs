//! vLLM's memory in addition to weights and KV cache: its profiling run, the libraries, CUDA graphs (memory model, section 3).

use super::{Inference, Range};
use crate::{
    architecture::{Architecture, Norms},
    catalogue::Gpu,
    prime_rl::Vllm,
    units::{Bytes, Tokens},
};

/// From this version on, an estimate of the CUDA graphs is subtracted from the budget; before it they were additional.
pub(super) const GRAPHS_WITHIN_BUDGET: Vllm = Vllm::new(0, 21);

/// Tokens and sequences of one step that vLLM's server chooses (0.12): more on cards of at least this size that aren't A100s.
const LARGE_CARD: Bytes = Bytes::gib(70.0);

/// Bytes of the sampler for each logit, at least, likely and at most, by the version of vLLM from which on they hold: float32 copies, and the
/// sorted values with their places. prime-rl's vLLM 0.10 comes without `FlashInfer`, whose sampler needs less; later ones use either.
const SAMPLER: [(Vllm, [f64; 3]); 3] =
    [(Vllm::new(0, 17), [0.0, 14.0, 40.0]), (Vllm::new(0, 11), [8.0, 28.0, 40.0]), (Vllm::new(0, 0), [26.0, 34.0, 44.0])];

/// The peak of the profiling run: the MLP of one step, and the sampler for all sequences.
pub(super) fn activations(inference: &Inference, model: &Architecture, gpu: &Gpu) -> Range {
    let step = step(inference, model, gpu);
    let sequences = inference.max_num_seqs.map_or(if is_large(gpu) { 1024.0 } else { 256.0 }, f64::from);
    let logits = f64::from(model.vocab) * sequences;
    let of_version = SAMPLER.iter().find(|(since, _)| inference.vllm >= *since).map_or(SAMPLER[2].1, |(_, bytes)| *bytes);
    let [least, likely, most] = of_version.map(|bytes| Bytes::new(bytes * logits));
    let (low, expected, high) = (step * 0.6 + least, step + likely, step * 1.6 + most + Bytes::gib(0.3));
    // vLLM also encodes an image of the largest size, before the step.
    let encoder = encoder(model);
    Range { low, expected: expected.max(encoder), high: high.max(encoder * 2.0) }
}

/// The activations of a tower for an image of the largest size, by its widths, that is by the root of its parameters: 3.2 GiB for the tower of
/// Qwen3.6 35B with 0.45 billion and 16,384 tokens. Gemma's images have a fixed size.
fn encoder(model: &Architecture) -> Bytes {
    if model.towers == 0 {
        return Bytes::ZERO;
    }
    let of_image = if model.norms == Norms::Both { 0.8 } else { 3.2 };
    Bytes::gib(of_image) * (crate::units::real(model.towers) / 0.45e9).sqrt()
}

/// The activations of one step: the two halves of the gated MLP and its product, the residual stream, and the inputs of experts in their order.
fn step(inference: &Inference, model: &Architecture, gpu: &Gpu) -> Bytes {
    let tokens = tokens_of_step(inference, gpu).as_f64();
    let width = model
        .moe
        .map_or(f64::from(model.intermediate), |moe| f64::from(moe.top_k) * f64::from(moe.intermediate) + moe.shared_width());
    let hidden = f64::from(model.hidden);
    let ordered = model.moe.map_or(0.0, |moe| 2.0 * f64::from(moe.top_k) * f64::from(moe.latent.unwrap_or(model.hidden)));
    Bytes::new(tokens * (6.0 * width / f64::from(inference.tensor_parallel.max(1)) + 8.0 * hidden + ordered))
}

/// Whether vLLM takes a card for a large one.
fn is_large(gpu: &Gpu) -> bool {
    gpu.total >= LARGE_CARD && !gpu.name.starts_with("A100")
}

/// Tokens of one step.
pub(super) fn tokens_of_step(inference: &Inference, gpu: &Gpu) -> Tokens {
    inference.max_num_batched_tokens.unwrap_or(Tokens(if is_large(gpu) { 8192 } else { 2048 }))
}

/// Memory outside PyTorch: 0.1 GiB on one GPU, 0.2 to 0.5 GiB with NCCL.
pub(super) fn non_torch(inference: &Inference) -> Range {
    if inference.tensor_parallel > 1 {
        Range { low: Bytes::gib(0.2), expected: Bytes::gib(0.35), high: Bytes::gib(0.5) }
    } else {
        Range { low: Bytes::gib(0.1), expected: Bytes::gib(0.1), high: Bytes::gib(0.1) }
    }
}

/// CUDA graphs: 0.1 to 1.1 GiB on one GPU in public logs, less for small models, and up to 3.5 GiB with tensor parallelism; none with
/// `enforce_eager`.
pub(super) fn graphs(inference: &Inference, model: &Architecture) -> Range {
    if inference.enforce_eager {
        return Range { low: Bytes::ZERO, expected: Bytes::ZERO, high: Bytes::ZERO };
    }
    // Graphs of small models have few and small buffers.
    let billions = model.parameters() / f64::from(inference.tensor_parallel.max(1)) / 1e9;
    let expected = Bytes::gib(0.6).min(Bytes::gib(0.05 + 0.12 * billions));
    let high = if inference.tensor_parallel > 1 { 3.5 } else { 1.1 };
    Range { low: Bytes::gib(0.05), expected, high: Bytes::gib(high) }
}
