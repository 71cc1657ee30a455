//! The orchestrator needs the number of the trainer's data-parallel workers: the number of GPUs divided by the number of GPUs
//! that share one sequence.

use cfg_schema::Behaviour;

use super::devices;
use crate::native::{Failure, ValidatorCtx, inference::floor_div};

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let gpus = if cx.point.lacks(Behaviour::GpuIds) {
        cx.int("trainer_gpus").unwrap_or(1)
    } else {
        devices::count(cx, "trainer_gpu_ids")
    };
    if gpus <= 1 {
        return Ok(());
    }
    let workers =
        if cx.point.lacks(Behaviour::CpAndTpCount) { gpus } else { floor_div(gpus, one_sequence(cx), &["trainer.model.cp"])? };
    cx.from(if cx.point.lacks(Behaviour::GpuIds) { "trainer_gpus" } else { "trainer_gpu_ids" })
        .set_int("orchestrator.num_train_workers", workers);
    Ok(())
}

/// The number of GPUs that process one sequence together. `effa509cb` removed tensor parallelism from the trainer.
pub(super) fn one_sequence(cx: &ValidatorCtx<'_>) -> i128 {
    let (cp, tp) = (cx.int("trainer.model.cp").unwrap_or(1), cx.int("trainer.model.tp").unwrap_or(1));
    cp.saturating_mul(tp)
}
