//! Features of a single implementation of the model: prime-rl's own code (`impl = "custom"`, which "auto" may select) has the newer kernels; only
//! Hugging Face's (`impl = "hf"`) runs code that comes with a model.

use cfg_schema::Behaviour;

use super::own_code;
use crate::native::{Failure, ValidatorCtx};

pub(super) fn trust_remote_code(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    // "auto" may select Hugging Face's code since 27295a741.
    let runs = cx.is("impl", "hf") || (cx.point.has(Behaviour::AutoRunsRemoteCode) && cx.is("impl", "auto"));
    if !cx.bool("trust_remote_code") || runs {
        return Ok(());
    }
    let message = format!(
        "`trust_remote_code` is true, but `impl` is {}: only the Hugging Face implementation runs remote code",
        cx.show("impl")
    );
    Err(Failure::value(message, &["trust_remote_code", "impl"]).help("write `impl = \"hf\"`, or remove `trust_remote_code`"))
}

pub(super) fn fused_lm_head(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    needs_own_code(cx, cx.has("fused_lm_head_chunk_size"), "fused_lm_head_chunk_size")
}

pub(super) fn flash_attention_4(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    // Since cac463e79 the name is written in full and `impl = "auto"` is enough; since 3d2dbae5f "auto" may mean it.
    let named = if cx.point.lacks(Behaviour::Fa4SpelledOut) { "fa4" } else { "flash_attention_4" };
    let wanted = cx.is("attn", named) || (cx.point.has(Behaviour::AutoAttention) && cx.is("attn", "auto"));
    if cx.point.lacks(Behaviour::Fa4SpelledOut) && wanted && !cx.is("impl", "custom") {
        return Err(refusal(cx, "attn"));
    }
    needs_own_code(cx, wanted, "attn")
}

pub(super) fn selective_activations(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    needs_own_code(cx, cx.is("ac.mode", "selective"), "ac.mode")
}

pub(super) fn fp8(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    needs_own_code(cx, cx.bool("fp8"), "fp8")
}

pub(super) fn quantization(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    needs_own_code(cx, cx.has("quantization"), "quantization.type")
}

pub(super) fn vlm(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.has("vlm") || cx.is("impl", "custom") {
        return Ok(());
    }
    let message = format!("`vlm` is set, but `impl` is {}: vision models need prime-rl's custom implementation", cx.show("impl"));
    Err(Failure::value(message, &["impl", "vlm"]).help("write `impl = \"custom\"`; \"auto\" is not enough"))
}

fn needs_own_code(cx: &ValidatorCtx<'_>, wanted: bool, path: &'static str) -> Result<(), Failure> {
    if wanted && !own_code(cx, "impl") { Err(refusal(cx, path)) } else { Ok(()) }
}

fn refusal(cx: &ValidatorCtx<'_>, path: &'static str) -> Failure {
    let message =
        format!("`{path}` is {}, but `impl` is {}: this needs prime-rl's custom implementation", cx.show(path), cx.show("impl"));
    Failure::value(message, &[path, "impl"]).help(format!("write `impl = \"custom\"`, or change `{path}`"))
}
