//! vLLM's memory in addition to weights and KV cache: its profiling run, the libraries, CUDA graphs (memory model, section 3).

use super::{Inference, Range};
use crate::{
    architecture::Architecture,
    catalogue::Gpu,
    prime_rl::Vllm,
    units::{Bytes, Tokens},
};

/// From this version on, an estimate of the CUDA graphs is subtracted from the budget; before it they were additional.
pub(super) const GRAPHS_WITHIN_BUDGET: Vllm = Vllm::new(0, 21);

/// Tokens and sequences of one step that vLLM's server chooses (0.12): more on cards of at least this size that aren't A100s.
const LARGE_CARD: Bytes = Bytes::gib(70.0);

/// What images add to the profiling run, likely and at most.
const TOWERS: (Bytes, Bytes) = (Bytes::gib(0.7), Bytes::gib(5.0));

/// The peak of the profiling run: the MLP of one step, and the sampler's float32 copies of the logits of all sequences. In public logs it
/// was 0.4 to 1.6 times that, and up to 0.3 GiB more.
pub(super) fn activations(inference: &Inference, model: &Architecture, gpu: &Gpu) -> Range {
    let tokens = tokens_of_step(inference, gpu).as_f64();
    let sequences = inference.max_num_seqs.map_or(if is_large(gpu) { 1024.0 } else { 256.0 }, f64::from);
    let width = model
        .moe
        .map_or(f64::from(model.intermediate), |moe| f64::from(moe.top_k) * f64::from(moe.intermediate) + moe.shared_width());
    let per_token = 6.0 * width / f64::from(inference.tensor_parallel.max(1)) + 8.0 * f64::from(model.hidden);
    let expected = Bytes::new(tokens * per_token + 28.0 * f64::from(model.vocab) * sequences);
    let high = expected * 1.6 + Bytes::gib(0.3);
    if model.towers == 0 {
        return Range { low: expected * 0.4, expected, high };
    }
    // vLLM also encodes an image of the largest size, and keeps the result.
    Range { low: expected * 0.4, expected: expected + TOWERS.0, high: high + TOWERS.1 }
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
