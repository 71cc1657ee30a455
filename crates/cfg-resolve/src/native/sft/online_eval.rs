//! Evals while fine-tuning: the inference server for them must have the trained model, use GPUs that exist, and receive its weights in a way that
//! both sides support. Values that follow from others are filled in.

mod checkpoints;
mod nodes;
mod single_node;
mod transfer;

use cfg_schema::Behaviour;

use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.has("eval") {
        if cx.has("inference") {
            return Err(Failure::value(
                "`inference` is set, but `eval` is not: inference is only used for evals",
                &["inference", "eval"],
            )
            .help("add an `[eval]` table, or remove `inference`"));
        }
        return Ok(());
    }
    if cx.point.lacks(Behaviour::EvalLora) {
        checkpoints::run(cx)?;
    } else if cx.has("model.lora") && cx.has("inference") {
        cx.from("model.lora").set_bool("inference.vllm.enable_lora", true);
        cx.copy("model.lora.rank", "inference.vllm.max_lora_rank");
    }
    if cx.point.has(Behaviour::EvalTransfer) {
        transfer::choose(cx)?;
    }
    if cx.tag("deployment") == Some("multi_node") {
        nodes::run(cx)
    } else if cx.has("inference") {
        single_node::run(cx)
    } else {
        Ok(())
    }
}

fn same_model(cx: &ValidatorCtx<'_>) -> Result<(), Failure> {
    let (served, trained) = (cx.str("inference.vllm.model"), cx.str("model.name"));
    if served == trained {
        return Ok(());
    }
    let message = format!(
        "`inference.vllm.model` is {}, but `model.name` is {}: evals request the trained model",
        cx.show("inference.vllm.model"),
        cx.show("model.name")
    );
    Err(Failure::value(message, &["inference.vllm.model", "model.name"]).help(
        "remove `inference.vllm.model`, which then \
        follows",
    ))
}

/// The number of GPUs at a path must be a multiple of the number that share a copy of the model.
fn whole_groups(cx: &ValidatorCtx<'_>, path: &'static str) -> Result<(), Failure> {
    const TENSOR: &str = "inference.vllm.tensor_parallel_size";
    let (Some(count), Some(tensor)) = (cx.int(path), cx.int(TENSOR)) else { return Ok(()) };
    let message = format!("`{TENSOR}` is {tensor}, but `{path}` is {count}: the GPUs do not form whole groups");
    match count.checked_rem(tensor) {
        Some(0) => Ok(()),
        None if tensor == 0 => Err(Failure::exception("ZeroDivisionError", message, &[TENSOR, path]).help("write 1 or more")),
        _ => Err(Failure::value(message, &[TENSOR, path]).help(format!("write a number that divides {count}"))),
    }
}
