//! What a run writes to the disk.

use crate::{Plan, Trainer};
use cfg_memory::disk::{Checkpoints, Writes};

/// The checkpoints and weights that a plan writes.
pub(super) fn writes(plan: &Plan, trainer: &Trainer) -> Writes {
    let count = |count: Option<i64>| count.and_then(|count| u64::try_from(count).ok()).filter(|count| *count > 0);
    let checkpoints = trainer.ckpt.value().map(|ckpt| Checkpoints {
        interval: count(ckpt.interval.get()),
        max_steps: count(trainer.max_steps.get().or_else(|| plan.run.max_steps.get())),
        keep_last: count(ckpt.keep_last.get()),
        keep_interval: count(ckpt.keep_interval.get()),
        weights: ckpt.weights.is_on(),
        adapters: ckpt.save_adapter_separately.is_on(),
    });
    let is_by_file = !plan.is_sft() && trainer.weight_broadcast.value().is_some_and(|broadcast| broadcast.kind.is("filesystem"));
    let level = trainer.max_async_level.get().and_then(|level| u32::try_from(level).ok()).unwrap_or(1);
    Writes { checkpoints, broadcast: is_by_file.then_some(level) }
}
