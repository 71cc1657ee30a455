//! Renderers turn conversations into tokens. For some time they supported only text, and their settings require that they are on.

use cfg_schema::Behaviour;

use crate::native::{Failure, ValidatorCtx};

pub(super) fn text_only(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let on = if cx.point.lacks(Behaviour::NullRenderer) {
        cx.bool("use_renderer")
    } else {
        cx.point.has(Behaviour::AlwaysRenders) || cx.has("renderer")
    };
    if !on || !cx.has("model.vlm") {
        return Ok(());
    }
    let switch = if cx.point.lacks(Behaviour::NullRenderer) { "use_renderer" } else { "renderer" };
    Err(Failure::value(
        format!("`model.vlm` is set, but `{switch}` renders only text: images would be lost"),
        &["model.vlm", switch],
    )
    .help(if cx.point.lacks(Behaviour::AlwaysRenders) {
        "turn the renderer off, or remove `model.vlm`"
    } else {
        "remove `model.vlm`"
    }))
}

pub(super) fn arguments(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.has("renderer.pool_size") {
        let message =
            format!("`renderer.pool_size` is {}, but fine-tuning renders without a pool", cx.show("renderer.pool_size"));
        return Err(Failure::value(message, &["renderer.pool_size"]).help("remove it; only the orchestrator has a pool"));
    }
    if cx.bool("use_renderer") {
        return Ok(());
    }
    let strings = ["renderer.tool_parser", "renderer.reasoning_parser"];
    let switches = ["renderer.preserve_all_thinking", "renderer.preserve_thinking_between_tool_calls"];
    let named = Some("renderer.name").filter(|path| !cx.is(path, "auto"));
    let set = named
        .or_else(|| strings.into_iter().find(|path| cx.has(*path)))
        .or_else(|| switches.into_iter().find(|path| cx.bool(path)));
    let Some(path) = set else { return Ok(()) };
    let message = format!("`{path}` is {}, but `use_renderer` is false: it has no effect", cx.show(path));
    Err(Failure::value(message, &[path, "use_renderer"]).help("write `use_renderer = true`, or remove it"))
}
