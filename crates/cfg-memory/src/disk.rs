//! Disk: checkpoints, weights and broadcasts (memory model, section 5).

use crate::{
    architecture::Architecture,
    trainer::Trainer,
    units::{Bytes, real},
};

/// The files that a run writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writes {
    /// Checkpoints of the trainer, if any.
    pub checkpoints: Option<Checkpoints>,
    /// Weights that are passed to inference through files, for this many steps in progress at once (`max_async_level`). `None` if they
    /// are sent directly.
    pub broadcast: Option<u32>,
}

/// When checkpoints are written, and which are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checkpoints {
    /// Steps between two; without it, only the last is written.
    pub interval: Option<u64>,
    /// Steps of the run, if it ends.
    pub max_steps: Option<u64>,
    /// How many of the last are kept; without it, all.
    pub keep_last: Option<u64>,
    /// One checkpoint in this many steps is kept permanently.
    pub keep_interval: Option<u64>,
    /// Whether the weights are also written in bf16: the default until 20 August 2026.
    pub weights: bool,
    /// Whether adapters are written separately.
    pub adapters: bool,
}

/// The disk space of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disk {
    /// One checkpoint of the trainer: model, adapters and optimizer.
    pub checkpoint: Bytes,
    /// The weights that are written with it.
    pub weights: Bytes,
    /// Weights passed to inference.
    pub broadcast: Bytes,
    /// Number of kept checkpoints; `None` if it grows without limit.
    pub kept: Option<u64>,
    /// The total at the end; with one checkpoint if their number grows without limit.
    pub total: Bytes,
    /// The largest amount at any time: the oldest checkpoint is removed only after the new one is written.
    pub peak: Bytes,
}

/// Bytes of a number in weight files.
const BF16: f64 = 2.0;
/// Bytes of a number of an adapter.
const FLOAT32: f64 = 4.0;

/// The disk space of this run.
pub fn disk(trainer: &Trainer, model: &Architecture, writes: &Writes) -> Disk {
    let b = trainer.dtype.bytes();
    let learned = trainer.trained_parameters(model);
    let adapters = if trainer.lora.is_some() { Bytes::new(FLOAT32 * learned) } else { Bytes::ZERO };
    // Optimizer states are saved for trained parameters: two numbers each.
    let checkpoint = Bytes::new(b * trainer.all_parameters(model) + 2.0 * b * learned);
    let plain = Bytes::new(BF16 * model.parameters());
    let handed = if trainer.lora.is_some() { adapters } else { plain };
    let weights = writes.checkpoints.map_or(Bytes::ZERO, |checkpoints| {
        let whole = if checkpoints.weights { plain } else { Bytes::ZERO };
        whole + if checkpoints.adapters { adapters } else { Bytes::ZERO }
    });
    let kept = writes.checkpoints.map_or(Some(0), |checkpoints| checkpoints.kept());
    let broadcast = writes.broadcast.map_or(Bytes::ZERO, |level| {
        // One for each step in progress, and one for each kept checkpoint.
        handed * (f64::from(level) + 1.0 + real(kept.unwrap_or(1)))
    });
    let each = checkpoint + weights;
    let total = each * real(kept.unwrap_or(1)) + broadcast;
    let is_cleaned = writes.checkpoints.is_some_and(|checkpoints| checkpoints.keep_last.is_some());
    let peak = if is_cleaned { total + each } else { total };
    Disk { checkpoint, weights, broadcast, kept, total, peak }
}

impl Checkpoints {
    /// The number kept at the end of the run; `None` if it has no limit.
    fn kept(&self) -> Option<u64> {
        let Some(interval) = self.interval else { return Some(1) };
        let of = |every: u64| Some(self.max_steps? / every.max(1));
        let Some(last) = self.keep_last else { return Some(of(interval)?.saturating_add(1)) };
        let for_good = match self.keep_interval {
            Some(every) => of(every)?,
            None => 0,
        };
        Some(last.saturating_add(for_good))
    }
}
