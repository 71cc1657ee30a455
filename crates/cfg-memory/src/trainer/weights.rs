//! Weights: the shards of base model and adapters that stay on the GPU (memory model, section 1.1).

use super::{Offload, Trainer};
use crate::{architecture::Architecture, units::Bytes};

/// Type of master weights, gradients and optimizer states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dtype {
    /// `float32`, prime-rl's default, also for a base model that LoRA freezes.
    Float32,
    /// `bfloat16`.
    Bfloat16,
}

impl Dtype {
    /// Bytes of one number.
    pub(crate) const fn bytes(self) -> f64 {
        match self {
            Self::Float32 => 4.0,
            Self::Bfloat16 => 2.0,
        }
    }
}

/// Bytes of a bf16 number, the type in which layers compute.
pub(super) const COMPUTE: f64 = 2.0;

/// `b * (P + Plora) / N`.
pub(super) fn sharded(trainer: &Trainer, model: &Architecture) -> Bytes {
    Bytes::new(per_parameter(trainer) * trainer.all_parameters(model) / trainer.shards())
}

/// Bytes of one weight, or of its gradient, on the GPUs.
pub(super) fn per_parameter(trainer: &Trainer) -> f64 {
    match trainer.offload {
        Offload::None | Offload::Optimizer => trainer.dtype.bytes(),
        Offload::Full => COMPUTE,
        Offload::Fsdp => 0.0,
    }
}
