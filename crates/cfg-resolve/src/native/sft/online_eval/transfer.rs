//! How the trained weights reach the inference server of the evals: through the disk, or directly between memories, which is not possible with
//! adapters and with evals that are repeated after a resume.

use crate::native::{Failure, ValidatorCtx};

const TYPE: &str = "weight_broadcast.type";

/// Selects a way if none is given.
pub(super) fn choose(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.has("weight_broadcast") {
        let disk = cx.has("model.lora") || !cx.has("inference");
        cx.set_table("weight_broadcast", Some(if disk { "filesystem" } else { "nccl" }));
    }
    let way = cx.tag("weight_broadcast").unwrap_or_default();
    let refusal = |message: String, related_keys: &[&'static str]| {
        Err(Failure::value(message, related_keys).help("write `type = \"filesystem\"` under `weight_broadcast`"))
    };
    if way == "filesystem" {
        Ok(())
    } else if way == "nixl" {
        refusal(format!("`{TYPE}` is \"nixl\", which evals in fine-tuning do not support"), &[TYPE])
    } else if cx.has("model.lora") {
        refusal(
            format!("`{TYPE}` is \"{way}\", but `model.lora` is set: adapters can only be sent through the disk"),
            &[TYPE, "model.lora"],
        )
    } else if cx.bool("eval.retrigger_on_resume") {
        let end = "eval.retrigger_on_resume";
        refusal(
            format!("`{TYPE}` is \"{way}\", but `{end}` is true: after a resume only weights on disk are available"),
            &[TYPE, end],
        )
    } else {
        Ok(())
    }
}

/// Sets the selected way on both sides, and the number of receiving GPUs in the trainer.
pub(super) fn apply(cx: &mut ValidatorCtx<'_>, receivers: i128) {
    let way = cx.tag("weight_broadcast").unwrap_or_default();
    if way == "nccl" {
        cx.set_int("weight_broadcast.inference_world_size", receivers);
    }
    cx.from("weight_broadcast.type").set_str("inference.weight_broadcast.type", way);
}

/// Before there was a choice: the inference server must read weights from the disk.
pub(super) fn from_disk(cx: &ValidatorCtx<'_>) -> Result<(), Failure> {
    const INFERENCE: &str = "inference.weight_broadcast.type";
    if cx.is(INFERENCE, "filesystem") {
        return Ok(());
    }
    let message = format!("`{INFERENCE}` is {}, but evals read the weights from the disk", cx.show(INFERENCE));
    Err(Failure::value(message, &[INFERENCE]).help("write `type = \"filesystem\"`, or remove it"))
}
