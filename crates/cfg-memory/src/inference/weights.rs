//! Served weights, and slots for adapters (memory model, section 3).

use super::Inference;
use crate::{architecture::Architecture, trainer::Lora, units::Bytes};

/// Bytes of a number in bf16.
const BF16: f64 = 2.0;

/// The weights on one GPU: the files' size if they are quantised, otherwise bf16.
pub(super) fn served(inference: &Inference, model: &Architecture) -> Bytes {
    let whole = inference.weights_on_disk.unwrap_or_else(|| Bytes::new(BF16 * model.parameters()));
    whole / f64::from(inference.tensor_parallel.max(1))
}

/// The slots for adapters on one GPU: each has the size of an adapter of the largest rank on all targets.
pub(super) fn adapters(inference: &Inference, model: &Architecture) -> Bytes {
    inference.lora.map_or(Bytes::ZERO, |slots| {
        let adapter = Bytes::new(BF16 * Lora::of_rank(slots.max_rank).parameters(model));
        adapter * f64::from(slots.count) / f64::from(inference.tensor_parallel.max(1))
    })
}
