//! On a single node prime-rl derives the number of trainer processes from the trainer's GPUs, and the number of engines from the inference GPUs. A
//! given number of engines that does not use all GPUs is replaced. The number of GPUs must be a multiple of what one engine uses.

use super::{
    engine::engine,
    python::{divides, floor_div},
};
use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let train_gpus = cx.int("deployment.num_train_gpus").unwrap_or(1);
    if train_gpus > 1 {
        let workers = floor_div(train_gpus, cx.int("trainer.model.cp").unwrap_or(1), "trainer.model.cp")?;
        cx.from("deployment.num_train_gpus").set_int("orchestrator.num_train_workers", workers);
    }
    if !cx.has("inference") {
        return Ok(());
    }
    let engine = engine(cx.point);
    let gpus = cx.int("deployment.num_infer_gpus").unwrap_or(1);
    let (dp, tp) = (cx.int(engine.dp).unwrap_or(1), cx.int(engine.tp).unwrap_or(1));
    if gpus != dp.saturating_mul(tp) {
        if !divides(tp, gpus, engine.tp)? {
            let message = format!("`deployment.num_infer_gpus` is {gpus}, which is not a multiple of `{}` = {tp}", engine.tp);
            return Err(Failure::assertion(message, &["deployment.num_infer_gpus", engine.tp]).help(
                match gpus.checked_rem(tp).and_then(|rest| gpus.checked_add(tp - rest)) {
                    Some(next) if gpus > 0 && tp > 0 => {
                        format!("set `deployment.num_infer_gpus` to {next}, or another multiple of {tp}")
                    }
                    _ => format!("set `deployment.num_infer_gpus` to a multiple of {tp}"),
                },
            ));
        }
        cx.from("deployment.num_infer_gpus").set_int(engine.dp, floor_div(gpus, tp, engine.tp)?);
    }
    let dp = cx.int(engine.dp).unwrap_or(1);
    if cx.int(engine.api_servers).unwrap_or(1) < dp && !cx.bool(engine.lora) {
        cx.copy(engine.dp, engine.api_servers);
    }
    Ok(())
}
