//! Gradients: shards for what trains (memory model, section 1.1).

use super::{Trainer, weights};
use crate::{architecture::Architecture, units::Bytes};

/// `b * Ptr / N`.
pub(super) fn sharded(trainer: &Trainer, model: &Architecture) -> Bytes {
    Bytes::new(weights::per_parameter(trainer) * trainer.trained_parameters(model) / trainer.shards())
}
