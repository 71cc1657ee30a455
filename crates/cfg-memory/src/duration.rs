//! The duration of a run: a step of the trainer, the generation in vLLM, and the resulting hours and dollars.
//!
//! The trainer's step is a sum of parts, each an amount of work divided by the speed of a card ([`trainer::seconds`]). The reached shares of the
//! card's peaks were fitted to measured runs. Generation was not measured and is always a range. Constants and their
//! sources are in `schemas/speed.toml`; the accuracy of the fit is in `docs/estimate.md`.

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

/// A quantity that is only known to be within a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The smallest possible value.
    pub low: f64,
    /// The largest possible value.
    pub high: f64,
}

impl Range {
    /// The range multiplied by a factor.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self { low: self.low * factor, high: self.high * factor }
    }

    /// The value that is as many times the lowest as the highest is of it.
    pub fn middle(self) -> f64 {
        if self.low > 0.0 { (self.low * self.high).sqrt() } else { f64::midpoint(self.low, self.high) }
    }
}
