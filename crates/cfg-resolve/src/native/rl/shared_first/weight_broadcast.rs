//! The weight broadcast is set once, at the top, and replaces the three components' own tables. Since 77766bb59 it is created if it is missing: over
//! NCCL, or through files if there is no inference server or a `LoRA` is trained, which can only be sent as files.

use cfg_schema::Behaviour;

use super::engine::engine;
use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.has("weight_broadcast") && cx.point.has(Behaviour::BroadcastAlways) {
        create(cx);
    }
    let kind = cx.str("weight_broadcast.type").map(str::to_owned);
    if let Some(kind) = kind {
        if cx.point.has(Behaviour::LoraNeedsFiles) && kind != "filesystem" && cx.has("trainer.model.lora") {
            let message = format!(
                "`weight_broadcast.type` is \"{kind}\", but `trainer.model.lora` is set: LoRA adapters are sent as \
                    files"
            );
            return Err(Failure::value(message, &["weight_broadcast.type", "trainer.model.lora"])
                .help("set `weight_broadcast.type = \"filesystem\"`, or remove the table"));
        }
        replace(cx, &kind)?;
    }
    compare(cx)
}

fn create(cx: &mut ValidatorCtx<'_>) {
    let kind = if cx.has("trainer.model.lora") || !cx.has("inference") { "filesystem" } else { "nccl" };
    if cx.point.has(Behaviour::Nixl) {
        cx.set_table("weight_broadcast", Some(kind));
    } else {
        cx.set_table("weight_broadcast", None);
        if kind == "filesystem" {
            cx.set_str("weight_broadcast.type", kind);
        }
    }
}

fn replace(cx: &mut ValidatorCtx<'_>, kind: &str) -> Result<(), Failure> {
    let components = [
        ["trainer.weight_broadcast", "trainer.weight_broadcast.inference_world_size"],
        ["orchestrator.weight_broadcast", "orchestrator.weight_broadcast.inference_world_size"],
    ];
    let engine = engine(cx.point);
    // At this time the number of engines has not been derived from the GPUs, so a number that is not written counts as one.
    let world_size =
        if cx.has("inference") { cx.int(engine.dp).unwrap_or(1).saturating_mul(cx.int(engine.tp).unwrap_or(1)) } else { 1 };
    if kind != "filesystem" && world_size < 1 {
        let message = format!(
            "`{}` * `{}` is {world_size}, so {world_size} processes would receive \
            weights",
            engine.dp, engine.tp
        );
        let ends = &[engine.tp, engine.dp];
        return Err(Failure::of_field("greater_than_equal", "inference_world_size", message, ends)
            .help(format!("set `{}` to 1 or more", engine.tp)));
    }
    for [component, size] in components {
        cx.from("weight_broadcast").set_table(component, Some(kind));
        if kind == "filesystem" {
            continue;
        }
        let host = (cx.point.has(Behaviour::Nixl)).then_some("host");
        for key in host.into_iter().chain(["port", "timeout", "quantize_in_weight_transfer", "session_id"]) {
            cx.copy(&format!("weight_broadcast.{key}"), &format!("{component}.{key}"));
        }
        cx.from(engine.dp).set_int(size, world_size);
    }
    if cx.has("inference") {
        cx.from("weight_broadcast").set_table("inference.weight_broadcast", None);
        cx.from("weight_broadcast.type").set_str("inference.weight_broadcast.type", kind);
    }
    Ok(())
}

/// Refuses types that differ, which is possible only if no shared table replaced them.
fn compare(cx: &ValidatorCtx<'_>) -> Result<(), Failure> {
    const TRAINER: &str = "trainer.weight_broadcast.type";
    const ORCHESTRATOR: &str = "orchestrator.weight_broadcast.type";
    const INFERENCE: &str = "inference.weight_broadcast.type";
    let is_compared = cx.has("inference") && cx.point.has(Behaviour::InferenceCompared);
    let others = [Some(ORCHESTRATOR), is_compared.then_some(INFERENCE)];
    let trainer = cx.str(TRAINER).unwrap_or_default();
    for other in others.into_iter().flatten() {
        let kind = cx.str(other).unwrap_or_default();
        if kind != trainer {
            return Err(Failure::value(format!("`{TRAINER}` is \"{trainer}\", but `{other}` is \"{kind}\""), &[TRAINER, other])
                .help("write a shared `[weight_broadcast]` table instead"));
        }
    }
    Ok(())
}
