//! Fine-tuning trains on some tokens of a conversation and not on others; only a renderer for the model can separate them. Random data needs none.

use crate::native::{Failure, ValidatorCtx, orchestrator};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.tag("data") == Some("fake") && !cx.has("val") {
        return Ok(());
    }
    if cx.is("renderer.name", "default") {
        let message = "`renderer.name` is \"default\", which can't tell which role a token belongs to";
        return Err(Failure::value(message, &["renderer.name"]).help("use the renderer of a model with the same chat template"));
    }
    let end = if cx.str("tokenizer.name").is_some_and(|name| !name.is_empty()) { "tokenizer.name" } else { "model.name" };
    let Some(name) = cx.str(end) else { return Ok(()) };
    if !cx.is("renderer.name", "auto") || orchestrator::has_renderer(name, cx.point) {
        return Ok(());
    }
    let message = format!("`{end}` is \"{name}\", which has no renderer, but `renderer.name` is \"auto\"");
    let otherwise = "set `name` under `renderer` to the renderer of a model with the same chat template";
    Err(Failure::value(message, &[end, "renderer.name"]).help(orchestrator::renderer_advice(name, otherwise)))
}
