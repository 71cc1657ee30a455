//! Context parallelism splits a sequence over GPUs. Only flash attention has kernels for it, some of them only in prime-rl's own model code. A model
//! with image input needs the Ulysses style.

use cfg_schema::Behaviour;

use super::own_code;
use crate::native::{Failure, ValidatorCtx};

pub(super) fn flash_attention(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !parallel(cx) {
        return Ok(());
    }
    let mut newer = vec!["flash_attention_3"];
    if cx.point.has(Behaviour::Fa4SpelledOut) {
        newer.push("flash_attention_4");
    } else if cx.point.has(Behaviour::CpWithFa4) {
        newer.push("fa4");
    }
    if cx.point.has(Behaviour::AutoAttention) {
        newer.push("auto");
    }
    let is_newer = newer.iter().any(|name| cx.is("attn", name));
    if !is_newer && !cx.is("attn", "flash_attention_2") {
        return Err(no_kernel(cx, &newer));
    }
    let implemented = cx.is("impl", "custom") || (cx.point.has(Behaviour::Fa4SpelledOut) && cx.is("impl", "auto"));
    if cx.point.has(Behaviour::CpWantsOwnCode) && is_newer && !implemented {
        return Err(needs_own_code(cx));
    }
    Ok(())
}

pub(super) fn both(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !parallel(cx) {
        return Ok(());
    }
    let newer = ["flash_attention_3", "flash_attention_4", "auto"];
    if !cx.is("attn", "flash_attention_2") && !newer.iter().any(|name| cx.is("attn", name)) {
        return Err(no_kernel(cx, &newer));
    }
    if own_code(cx, "impl") { Ok(()) } else { Err(needs_own_code(cx)) }
}

pub(super) fn vlm(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.has("vlm") || !parallel(cx) || cx.is("cp_style", "ulysses") {
        return Ok(());
    }
    let message = format!(
        "`cp` is {}, but `cp_style` is {}: a vision model can split sequences only with Ulysses",
        cx.show("cp"),
        cx.show("cp_style")
    );
    Err(Failure::value(message, &["cp_style", "cp", "vlm"]).help("write `cp_style = \"ulysses\"`, or `cp = 1`"))
}

fn parallel(cx: &ValidatorCtx<'_>) -> bool {
    cx.int("cp").is_some_and(|cp| cp > 1)
}

fn no_kernel(cx: &ValidatorCtx<'_>, newer: &[&str]) -> Failure {
    let message =
        format!("`cp` is {}, but `attn` is {}: context parallelism needs flash attention", cx.show("cp"), cx.show("attn"));
    let names: Vec<String> = newer.iter().map(|name| format!("\"{name}\"")).collect();
    Failure::value(message, &["attn", "cp"])
        .help(format!("write `attn = \"flash_attention_2\"` (or {}), or `cp = 1`", names.join(" or ")))
}

fn needs_own_code(cx: &ValidatorCtx<'_>) -> Failure {
    let message = format!(
        "`cp` is {} and `attn` is {}, but `impl` is {}: only prime-rl's custom implementation can split a sequence there",
        cx.show("cp"),
        cx.show("attn"),
        cx.show("impl")
    );
    Failure::value(message, &["impl", "cp", "attn"]).help("write `impl = \"custom\"`, or `cp = 1`")
}
