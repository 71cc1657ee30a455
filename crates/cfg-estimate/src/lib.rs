//! How long a run takes: a step of the trainer, what vLLM generates, and what follows for hours and dollars.
//!
//! The trainer's step is a sum of parts, each an amount of work over what a card does in a second ([`trainer::seconds`]); the shares of the
//! card's peaks that are reached were fitted on measured runs. Generation was not measured and is only ever a range. Constants and their
//! sources are in `schemas/speed.toml`, how well they fit is in `docs/estimate.md`.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod accuracy;
mod calibration;
pub mod generation;
pub mod run;
pub mod table;
pub mod trainer;
pub mod work;
mod workload;

pub use calibration::{Calibration, Measured};
pub use run::{Estimate, estimate};
pub use workload::{Data, Workload};

/// A quantity that is only known to be between two ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// No less than this.
    pub low: f64,
    /// No more than this.
    pub high: f64,
}

impl Range {
    /// The same, so many times over.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self { low: self.low * factor, high: self.high * factor }
    }
}
