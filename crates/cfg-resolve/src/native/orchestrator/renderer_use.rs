//! Messages are tokenized by the orchestrator with a renderer, or by the inference server. Each of the two ways excludes some settings.

use crate::native::{Failure, ValidatorCtx};

/// The two ways exclude each other.
pub(super) fn one_client(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.bool("use_token_client") && cx.bool("use_renderer") {
        return Err(Failure::value(
            "`use_renderer` tokenizes in the orchestrator, `use_token_client` on the server; only one can be on",
            &["use_renderer", "use_token_client"],
        )
        .help("write `use_token_client = false`, or remove `use_renderer`"));
    }
    Ok(())
}

/// Until ea2f39004 a renderer did not support images.
pub(super) fn not_for_vision(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let vision = vision(cx);
    if cx.bool("use_renderer") && cx.has(vision) {
        return Err(Failure::value(
            format!("`use_renderer` is on, but this prime-rl can't render images, and `{vision}` is set"),
            &["use_renderer", vision],
        )
        .help("write `use_renderer = false`"));
    }
    Ok(())
}

/// Since ea2f39004 models with image input require a renderer.
pub(super) fn vision_needs_it(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let vision = vision(cx);
    let has_renderer = if cx.exists("use_renderer") { cx.bool("use_renderer") } else { cx.has("renderer") };
    if cx.has(vision) && !has_renderer {
        let end = if cx.exists("use_renderer") { "use_renderer" } else { "renderer" };
        return Err(Failure::value(
            format!("`{vision}` is set, but images need a renderer, and `{end}` turns it off"),
            &[end, vision],
        )
        .help(format!("remove `{end}`, or set it")));
    }
    Ok(())
}

fn vision(cx: &ValidatorCtx<'_>) -> &'static str {
    if cx.exists("student.model") { "student.model.vlm" } else { "model.vlm" }
}

/// Settings of a renderer require a renderer.
pub(super) fn arguments(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.bool("use_renderer") {
        return Ok(());
    }
    let given = [
        ("renderer.name", cx.exists("renderer.name") && !cx.is("renderer.name", "auto")),
        ("renderer.tool_parser", cx.has("renderer.tool_parser")),
        ("renderer.reasoning_parser", cx.has("renderer.reasoning_parser")),
        ("renderer.pool_size", cx.has("renderer.pool_size")),
        ("renderer.preserve_all_thinking", cx.bool("renderer.preserve_all_thinking")),
        ("renderer.preserve_thinking_between_tool_calls", cx.bool("renderer.preserve_thinking_between_tool_calls")),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((path, _)) => Err(Failure::value(format!("`{path}` is set, but no renderer is used"), &[path, "use_renderer"])
            .help(format!("write `use_renderer = true`, or remove `{path}`"))),
        None => Ok(()),
    }
}
