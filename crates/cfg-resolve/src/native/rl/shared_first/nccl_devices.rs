//! Weights are sent over NCCL between at least two GPUs, one that trains and one that infers.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.tag("deployment") != Some("single_node") || cx.tag("trainer.weight_broadcast") != Some("nccl") {
        return Ok(());
    }
    let (train, infer) = (cx.int("deployment.num_train_gpus").unwrap_or(1), cx.int("deployment.num_infer_gpus").unwrap_or(1));
    if train.saturating_add(infer) >= 2 {
        return Ok(());
    }
    let message = format!(
        "`trainer.weight_broadcast.type` is \"nccl\", which needs two GPUs, but {train} are for training and {infer} for \
            inference"
    );
    let ends = &["trainer.weight_broadcast.type", "deployment.num_train_gpus", "deployment.num_infer_gpus"];
    Err(Failure::value(message, ends).help("give trainer and inference a GPU each, or use the \"filesystem\" weight broadcast"))
}
