//! Models with image input: trained in bfloat16, as vLLM serves them, and without adapters if the vision encoder is trained too, because adapters
//! freeze it.

use cfg_schema::Behaviour;

use crate::native::{Failure, ValidatorCtx, model};

pub(super) fn bfloat16(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    // Before d80306520 the model's name determined whether it has image input.
    let sees =
        if cx.point.lacks(Behaviour::VlmTable) { model::known_vision_model(cx, "model.name") } else { cx.has("model.vlm") };
    if sees { model::vlm_precision(cx, ["model.optimization_dtype", "model.reduce_dtype"]) } else { Ok(()) }
}

pub(super) fn frozen(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.has("model.vlm") || cx.bool("model.vlm.freeze_vision_encoder") || !cx.has("model.lora") {
        return Ok(());
    }
    let message = "`model.vlm.freeze_vision_encoder` is false, but `model.lora` is set, which freezes everything but the adapter";
    Err(Failure::value(message, &["model.vlm.freeze_vision_encoder", "model.lora"])
        .help("write `freeze_vision_encoder = true`, or remove `[model.lora]`"))
}
