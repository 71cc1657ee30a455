//! The renderer "auto" is the one for the model's chat template. A model without one would get a general renderer, which may not match the tokens of
//! its training, so prime-rl requires an explicit choice.

use super::{mapped_models, names};
use crate::native::{Failure, ValidatorCtx};

/// The model must have its own renderer, or the config must name one.
pub(super) fn resolves(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if (cx.exists("use_renderer") && !cx.bool("use_renderer")) || !cx.is("renderer.name", "auto") {
        return Ok(());
    }
    let model = if cx.exists("student.model.name") { "student.model.name" } else { "model.name" };
    let end = if names::filled(cx, "tokenizer.name").is_some() { "tokenizer.name" } else { model };
    let Some(name) = cx.str(end) else { return Ok(()) };
    if mapped_models::is_mapped(name, cx.point) {
        return Ok(());
    }
    let message = format!("there is no renderer for the model \"{name}\", but `renderer.name` is \"auto\"");
    let otherwise = "set `name` below `[renderer]`: \"default\" uses the chat template of the model's tokenizer, other names that of a model \
                     family";
    let help = mapped_models::advice(name, otherwise);
    Err(Failure::value(message, &[model, end, "renderer.name"]).help(help))
}
