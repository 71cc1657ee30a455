//! Disk: checkpoints, weights and broadcasts (memory model, section 5).

use crate::{
    architecture::Architecture,
    trainer::Trainer,
    units::{Bytes, real},
};

/// What a run writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writes {
    /// Checkpoints of the trainer, if any.
    pub checkpoints: Option<Checkpoints>,
    /// Weights that are handed to inference through files: so many steps may be under way at once (`max_async_level`). `None` if they
    /// are sent.
    pub broadcast: Option<u32>,
}

/// When checkpoints are written, and which are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checkpoints {
    /// Steps between two; only the last is written without it.
    pub interval: Option<u64>,
    /// Steps of the run, if it ends.
    pub max_steps: Option<u64>,
    /// How many of the last are kept; all without it.
    pub keep_last: Option<u64>,
    /// Every how many steps one is kept for good.
    pub keep_interval: Option<u64>,
    /// Whether the weights are written in bf16 as well: the default until 20 August 2026.
    pub weights: bool,
    /// Whether adapters are written by themselves.
    pub adapters: bool,
}

/// What a run occupies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disk {
    /// One checkpoint of the trainer: model, adapters and optimizer.
    pub checkpoint: Bytes,
    /// The weights that are written beside it.
    pub weights: Bytes,
    /// Weights handed to inference.
    pub broadcast: Bytes,
    /// Checkpoints that are kept; `None` if they grow without end.
    pub kept: Option<u64>,
    /// What is kept at the end; of one checkpoint if they grow without end.
    pub total: Bytes,
    /// The most at any time: while one is written, none is removed yet.
    pub peak: Bytes,
}

/// Bytes of a number in the files of weights.
const BF16: f64 = 2.0;
/// Bytes of a number of an adapter.
const FLOAT32: f64 = 4.0;

/// What this run occupies on disk.
pub fn disk(trainer: &Trainer, model: &Architecture, writes: &Writes) -> Disk {
    let b = trainer.dtype.bytes();
    let learned = trainer.trained_parameters(model);
    let adapters = if trainer.lora.is_some() { Bytes::new(FLOAT32 * learned) } else { Bytes::ZERO };
    // Optimizer states are saved for what trains: two numbers each.
    let checkpoint = Bytes::new(b * trainer.all_parameters(model) + 2.0 * b * learned);
    let plain = Bytes::new(BF16 * model.parameters());
    let handed = if trainer.lora.is_some() { adapters } else { plain };
    let weights = writes.checkpoints.map_or(Bytes::ZERO, |checkpoints| {
        let whole = if checkpoints.weights { plain } else { Bytes::ZERO };
        whole + if checkpoints.adapters { adapters } else { Bytes::ZERO }
    });
    let kept = writes.checkpoints.map_or(Some(0), |checkpoints| checkpoints.kept());
    let broadcast = writes.broadcast.map_or(Bytes::ZERO, |level| {
        // One for each step under way, and one beside each checkpoint that is kept.
        handed * (f64::from(level) + 1.0 + real(kept.unwrap_or(1)))
    });
    let each = checkpoint + weights;
    let total = each * real(kept.unwrap_or(1)) + broadcast;
    let is_cleaned = writes.checkpoints.is_some_and(|checkpoints| checkpoints.keep_last.is_some());
    let peak = if is_cleaned { total + each } else { total };
    Disk { checkpoint, weights, broadcast, kept, total, peak }
}

impl Checkpoints {
    /// How many are kept at the end of the run; `None` if nothing bounds them.
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
