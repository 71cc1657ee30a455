//! GPUs by id. Inference gets as many data-parallel ranks as its GPUs allow, and NCCL needs two GPUs for a broadcast.
//!
//! Until `c3549a727` prime-rl also refused ids that the machine does not have. Which GPUs exist is not known here: eight GPUs, 0 to 7, are assumed.

use std::collections::BTreeSet;

use cfg_schema::Behaviour;

use crate::native::{
    Failure, ValidatorCtx,
    inference::{divides, floor_div},
};

const VISIBLE: i128 = 8;

pub(super) fn visible(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.point.lacks(Behaviour::GpuIds) {
        let (trainer, inference) = (cx.int("trainer_gpus").unwrap_or(1), cx.int("inference_gpus").unwrap_or(1));
        if trainer.saturating_add(inference) > VISIBLE {
            let message = format!("`trainer_gpus` is {trainer} and `inference_gpus` is {inference}, but a machine has {VISIBLE}");
            return Err(Failure::value(message, &["trainer_gpus", "inference_gpus"]).help("use fewer GPUs"));
        }
        return sharding(cx, inference, "inference_gpus");
    }
    let requested = requested(cx);
    if requested.iter().any(|id| !(0..VISIBLE).contains(id)) {
        let message = format!("the GPUs {requested:?} are requested, but a machine with {VISIBLE} has 0 to {}", VISIBLE - 1);
        return Err(Failure::value(message, &["trainer_gpu_ids", "inference_gpu_ids"]).help("use ids that the machine has"));
    }
    if cx.point.lacks(Behaviour::DpFromGpus) {
        let count = count(cx, "inference_gpu_ids");
        return sharding(cx, count, "inference_gpu_ids");
    }
    fill_dp(cx)
}

/// The check at early versions: the given ranks must match the GPUs.
fn sharding(cx: &ValidatorCtx<'_>, gpus: i128, key: &'static str) -> Result<(), Failure> {
    let (dp, tp) = (cx.int("inference.parallel.dp").unwrap_or(1), cx.int("inference.parallel.tp").unwrap_or(1));
    if !cx.has("inference") || gpus == dp.saturating_mul(tp) {
        return Ok(());
    }
    let message =
        format!("inference has {gpus} GPUs, but `inference.parallel.dp` {dp} times `tp` {tp} is {}", dp.saturating_mul(tp));
    Err(Failure::value(message, &["inference.parallel.dp", "inference.parallel.tp", key]).help(
        "make the product match the \
        number of GPUs",
    ))
}

pub(super) fn fill_dp(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let gpus = count(cx, "inference_gpu_ids");
    ranks(cx, "inference", gpus, "inference_gpu_ids")
}

/// Gives the server as many data-parallel ranks as its GPUs allow.
pub(super) fn ranks(cx: &mut ValidatorCtx<'_>, server: &'static str, gpus: i128, key: &'static str) -> Result<(), Failure> {
    let (dp, tp_key) = match server {
        "inference" => ("inference.parallel.dp", "inference.parallel.tp"),
        _ => ("teacher_inference.parallel.dp", "teacher_inference.parallel.tp"),
    };
    let (Some(given), Some(tp)) = (cx.int(dp), cx.int(tp_key)) else { return Ok(()) };
    if gpus == given.saturating_mul(tp) {
        return Ok(());
    }
    if !divides(tp, gpus, &[tp_key])? {
        let unit = if gpus == 1 { "GPU" } else { "GPUs" };
        let message = format!("`{tp_key}` is {tp}, but {server} gets {gpus} {unit} (`{key}`), which is not a multiple of it");
        return Err(Failure::assertion(message, &[tp_key, key]).help(format!("give {server} a multiple of {tp} GPUs")));
    }
    if server != "inference" && gpus <= 0 {
        return Err(Failure::assertion(format!("`{key}` is {gpus}"), &[key]).help("give the teacher at least one GPU"));
    }
    cx.set_int(dp, floor_div(gpus, tp, &[tp_key])?);
    Ok(())
}

pub(super) fn enough_for_nccl(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.is("trainer.weight_broadcast.type", "nccl") {
        return Ok(());
    }
    let help = "give trainer and inference a GPU each, or set `weight_broadcast.type = \"filesystem\"`";
    if cx.point.lacks(Behaviour::Deployments) {
        let ids = requested(cx);
        if ids.len() < 2 {
            let message =
                format!("`weight_broadcast.type` is \"nccl\", but trainer and inference have {} GPU together", ids.len());
            let ends = ["trainer_gpu_ids", "inference_gpu_ids", "trainer.weight_broadcast.type"];
            return Err(Failure::value(message, &ends).help(help));
        }
    } else if cx.tag("deployment") == Some("single_node") {
        let (train, infer) = (cx.int("deployment.num_train_gpus").unwrap_or(1), cx.int("deployment.num_infer_gpus").unwrap_or(1));
        if train.saturating_add(infer) < 2 {
            let message = format!(
                "`weight_broadcast.type` is \"nccl\", but `deployment.num_train_gpus` is {train} and `num_infer_gpus` is {infer}: NCCL \
                 needs at least 2"
            );
            let ends = ["deployment.num_infer_gpus", "deployment.num_train_gpus", "trainer.weight_broadcast.type"];
            return Err(Failure::value(message, &ends).help(help));
        }
    }
    Ok(())
}

fn requested(cx: &ValidatorCtx<'_>) -> BTreeSet<i128> {
    let ids = |key| cx.ints(key).unwrap_or_default();
    ids("trainer_gpu_ids").into_iter().chain(ids("inference_gpu_ids")).collect()
}

/// The number of GPU ids in an array.
pub(super) fn count(cx: &ValidatorCtx<'_>, key: &'static str) -> i128 {
    cx.len(key).and_then(|count| i128::try_from(count).ok()).unwrap_or(0)
}
