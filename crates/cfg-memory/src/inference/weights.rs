//! Served weights, and slots for adapters (memory model, section 3).

use super::Inference;
use crate::{architecture::Architecture, trainer::Lora, units::Bytes};

/// Bytes of a number in bf16.
const BF16: f64 = 2.0;

/// The weights on one GPU.
pub(super) fn served(inference: &Inference, model: &Architecture) -> Bytes {
    let (whole, tensor_parallel) = (inference.precision.bytes(model), f64::from(inference.tensor_parallel.max(1)));
    let spread = f64::from(inference.expert_parallel).max(tensor_parallel);
    let all = model.parameters();
    // The experts' part of the weights is that of their parameters: both are mostly in the same format.
    let experts = if all > 0.0 { whole * (model.expert_parameters() / all) } else { Bytes::ZERO };
    experts / spread + (whole - experts) / tensor_parallel
}

/// The slots for adapters on one GPU: each has the size of an adapter of the largest rank on all targets.
pub(super) fn adapters(inference: &Inference, model: &Architecture) -> Bytes {
    inference.lora.map_or(Bytes::ZERO, |slots| {
        let adapter = Bytes::new(BF16 * Lora::of_rank(slots.max_rank).parameters(model));
        adapter * f64::from(slots.count) / f64::from(inference.tensor_parallel.max(1))
    })
}
