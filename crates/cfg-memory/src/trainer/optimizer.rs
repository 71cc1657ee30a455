//! The optimizer: its states, and the temporary memory of its step (memory model, sections 1.1 and 1.5).

use super::{Bound, Offload, Trainer};
use crate::{architecture::Architecture, units::Bytes};

/// The optimizer of the trainer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optimizer {
    /// AdamW: two moments for each parameter.
    AdamW,
    /// SGD with momentum: one moment.
    Sgd,
    /// SGD by sign: no moments.
    SignSgd,
    /// Muon: one moment for matrices, two for parameters that it leaves to AdamW.
    Muon,
    /// No step is ever made, as in prime-rl's benchmark with LoRA, whose data never completes a run.
    Never,
}

impl Optimizer {
    /// States of one parameter.
    pub(super) const fn states(self, bound: Bound) -> f64 {
        match (self, bound) {
            (Self::AdamW, _) | (Self::Muon, Bound::High) => 2.0,
            (Self::Sgd, _) | (Self::Muon, Bound::Low) => 1.0,
            (Self::SignSgd | Self::Never, _) => 0.0,
        }
    }
}

/// All states of this GPU's shard, in either memory: `2 * b * Ptr / N` for AdamW.
pub(super) fn states(trainer: &Trainer, model: &Architecture, bound: Bound) -> Bytes {
    let per_parameter = match trainer.offload {
        Offload::None | Offload::Optimizer => trainer.dtype.bytes() * trainer.optimizer.states(bound),
        Offload::Full | Offload::Fsdp => 0.0,
    };
    Bytes::new(per_parameter * trainer.trained_parameters(model) / trainer.shards())
}

/// The part of them that stays on the GPU between steps.
pub(super) const fn resident(trainer: &Trainer, states: Bytes) -> Bytes {
    match trainer.offload {
        Offload::None => states,
        Offload::Optimizer | Offload::Full | Offload::Fsdp => Bytes::ZERO,
    }
}

/// Whether states are on the GPU during the step; `optim_cpu_offload` copies them back for it.
pub(super) const fn steps_on_gpu(trainer: &Trainer) -> bool {
    matches!(trainer.offload, Offload::None | Offload::Optimizer) && !matches!(trainer.optimizer, Optimizer::Never)
}

/// The temporary memory of the step: sharded parameters are updated one by one, so it has the size of the largest.
pub(super) fn temporary(trainer: &Trainer, model: &Architecture) -> Bytes {
    if trainer.lora.is_some() {
        return Bytes::ZERO;
    }
    let hidden = f64::from(model.hidden);
    let experts =
        model.moe.map_or(0.0, |moe| f64::from(moe.experts) * f64::from(moe.intermediate) * moe.latent.map_or(hidden, f64::from));
    let largest = model.embedding_parameters().max(f64::from(model.intermediate) * hidden).max(experts);
    Bytes::new(trainer.dtype.bytes() * largest / trainer.shards())
}
