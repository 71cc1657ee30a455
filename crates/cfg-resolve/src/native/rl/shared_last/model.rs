//! The shared model name is copied to trainer, orchestrator and inference, which must use the same model. Since `3dd48be5b` inference's own
//! name is kept, and the orchestrator uses it: inference can serve a quantized copy of the trainer's model.

use cfg_schema::Behaviour;

use super::{is_shared, orchestrator_model, same::same};
use crate::native::{Failure, ValidatorCtx, inference};

/// Models of this owner differ from their originals only in their code.
const PATCHED: &str = "Jackmin108/";

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.has("model") {
        share_name(cx)?;
        share_vision(cx);
    }
    compare(cx)
}

fn share_name(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !is_shared(cx, "model.name") {
        return Ok(());
    }
    cx.copy("model.name", "trainer.model.name");
    let orchestrator = orchestrator_model(cx.point);
    if cx.point.has(Behaviour::InferenceLeads) {
        if cx.has("inference") {
            if !cx.is_set("inference.model.name") {
                cx.copy("model.name", "inference.model.name");
            }
            cx.copy("inference.model.name", orchestrator);
        } else {
            cx.copy("model.name", orchestrator);
        }
        return Ok(());
    }
    cx.copy("model.name", orchestrator);
    cx.copy("model.name", "inference.model.name");
    if cx.point.has(Behaviour::ParserFollowsModel) && cx.point.lacks(Behaviour::ParserAtStart) && cx.has("inference") {
        cx.from("inference.model.name").set_null("inference.model.tool_call_parser");
        cx.from("inference.model.name").set_bool("inference.model.enable_auto_tool_choice", false);
        if let (Some(resolve), Some(mut model)) = (inference::find("resolve_tool_call_parser"), cx.below("inference.model")) {
            resolve(&mut model)?;
        }
    }
    Ok(())
}

fn share_vision(cx: &mut ValidatorCtx<'_>) {
    if cx.has("model.vlm") {
        cx.copy("model.vlm", "trainer.model.vlm");
        cx.copy(
            "model.vlm",
            if cx.point.lacks(Behaviour::Student) { "orchestrator.model.vlm" } else { "orchestrator.student.model.vlm" },
        );
        cx.copy("model.vlm", "inference.model.vlm");
    }
}

fn compare(cx: &ValidatorCtx<'_>) -> Result<(), Failure> {
    let orchestrator = orchestrator_model(cx.point);
    let has_inference = cx.has("inference");
    if cx.point.has(Behaviour::InferenceLeads) && has_inference {
        return same(cx, "inference.model.name", orchestrator, "model.name");
    }
    if cx.str("trainer.model.name").is_some_and(|name| name.starts_with(PATCHED)) {
        return Ok(());
    }
    same(cx, "trainer.model.name", orchestrator, "model.name")?;
    if has_inference { same(cx, "inference.model.name", orchestrator, "model.name") } else { Ok(()) }
}
