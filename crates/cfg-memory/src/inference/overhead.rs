//! vLLM's memory in addition to weights and KV cache: its profiling run, the libraries, CUDA graphs (memory model, section 3).

use super::{Inference, Range};
use crate::{architecture::Architecture, catalogue::Gpu, prime_rl::Vllm, units::Bytes};

/// From this version on, an estimate of the CUDA graphs is subtracted from the budget; before it they were additional.
pub(super) const GRAPHS_WITHIN_BUDGET: Vllm = Vllm::new(0, 21);

/// Tokens and sequences of one step that vLLM's server chooses (0.12): more on cards of at least this size that aren't A100s.
const LARGE_CARD: Bytes = Bytes::gib(70.0);

/// The peak of the profiling run: the MLP of one step, and the sampler's float32 copies of the logits of all sequences. Calibrated on two
/// public logs, therefore accurate to 50%.
pub(super) fn activations(inference: &Inference, model: &Architecture, gpu: &Gpu) -> Range {
    let is_large = gpu.total >= LARGE_CARD && !gpu.name.starts_with("A100");
    let tokens = inference.max_num_batched_tokens.map_or(if is_large { 8192.0 } else { 2048.0 }, super::Tokens::as_f64);
    let sequences = inference.max_num_seqs.map_or(if is_large { 1024.0 } else { 256.0 }, f64::from);
    let width = model.moe.map_or(f64::from(model.intermediate), |moe| {
        (f64::from(moe.top_k) + f64::from(moe.shared_experts)) * f64::from(moe.intermediate)
    });
    let per_token = 6.0 * width / f64::from(inference.tensor_parallel.max(1)) + 8.0 * f64::from(model.hidden);
    let expected = Bytes::new(tokens * per_token + 28.0 * f64::from(model.vocab) * sequences);
    Range { low: expected * 0.5, expected, high: expected * 1.5 }
}

/// Memory outside PyTorch: 0.1 GiB on one GPU, 0.2 to 0.5 GiB with NCCL.
pub(super) fn non_torch(inference: &Inference) -> Range {
    if inference.tensor_parallel > 1 {
        Range { low: Bytes::gib(0.2), expected: Bytes::gib(0.35), high: Bytes::gib(0.5) }
    } else {
        Range { low: Bytes::gib(0.1), expected: Bytes::gib(0.1), high: Bytes::gib(0.1) }
    }
}

/// CUDA graphs: 0.1 to 1.1 GiB in public logs, none with `enforce_eager`.
pub(super) fn graphs(inference: &Inference) -> Range {
    if inference.enforce_eager {
        Range { low: Bytes::ZERO, expected: Bytes::ZERO, high: Bytes::ZERO }
    } else {
        Range { low: Bytes::gib(0.1), expected: Bytes::gib(0.6), high: Bytes::gib(1.1) }
    }
}
