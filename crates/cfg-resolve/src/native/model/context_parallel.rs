//! Context parallelism splits a sequence over GPUs. Only flash attention has kernels for it, some of them only in prime-rl's own model
//! code; a model with vision needs the Ulysses way of splitting.

use super::own_code;
use crate::native::{Cx, Failure};

pub(super) fn flash_attention(cx: &mut Cx<'_>) -> Result<(), Failure> {
    if !parallel(cx) {
        return Ok(());
    }
    // "fa4" has kernels since bb7449c82 (282); since cac463e79 (389) it is spelled out, and `impl = "auto"` suffices; "auto" may stand for
    // it since 3d2dbae5f (391).
    let mut newer = vec!["flash_attention_3"];
    match cx.point.0 {
        282..=388 => newer.push("fa4"),
        389..=390 => newer.push("flash_attention_4"),
        391.. => newer.extend(["flash_attention_4", "auto"]),
        _ => {}
    }
    let is_newer = newer.iter().any(|name| cx.is("attn", name));
    if !is_newer && !cx.is("attn", "flash_attention_2") {
        return Err(no_kernel(cx, &newer));
    }
    // Since c87c19ba8 (160) the newer kernels are tied to prime-rl's own model code.
    let implemented = cx.is("impl", "custom") || (cx.point.0 >= 389 && cx.is("impl", "auto"));
    if cx.point.0 >= 160 && is_newer && !implemented {
        return Err(needs_own_code(cx));
    }
    Ok(())
}

pub(super) fn both(cx: &mut Cx<'_>) -> Result<(), Failure> {
    if !parallel(cx) {
        return Ok(());
    }
    let newer = ["flash_attention_3", "flash_attention_4", "auto"];
    if !cx.is("attn", "flash_attention_2") && !newer.iter().any(|name| cx.is("attn", name)) {
        return Err(no_kernel(cx, &newer));
    }
    if own_code(cx, "impl") { Ok(()) } else { Err(needs_own_code(cx)) }
}

pub(super) fn vlm(cx: &mut Cx<'_>) -> Result<(), Failure> {
    if !cx.has("vlm") || !parallel(cx) || cx.is("cp_style", "ulysses") {
        return Ok(());
    }
    let message = format!(
        "`cp` is {}, but `cp_style` is {}: a model with vision can split sequences only in the Ulysses way",
        cx.show("cp"),
        cx.show("cp_style")
    );
    Err(Failure::value(message, &["cp_style", "cp", "vlm"]).help("write `cp_style = \"ulysses\"`, or `cp = 1`"))
}

fn parallel(cx: &Cx<'_>) -> bool {
    cx.int("cp").is_some_and(|cp| cp > 1)
}

fn no_kernel(cx: &Cx<'_>, newer: &[&str]) -> Failure {
    let message =
        format!("`cp` is {}, but `attn` is {}: context parallelism needs flash attention", cx.show("cp"), cx.show("attn"));
    let names: Vec<String> = newer.iter().map(|name| format!("\"{name}\"")).collect();
    Failure::value(message, &["attn", "cp"])
        .help(format!("write `attn = \"flash_attention_2\"` (or {}), or `cp = 1`", names.join(" or ")))
}

fn needs_own_code(cx: &Cx<'_>) -> Failure {
    let message = format!(
        "`cp` is {} and `attn` is {}, but `impl` is {}: only prime-rl's own model code can split a sequence there",
        cx.show("cp"),
        cx.show("attn"),
        cx.show("impl")
    );
    Failure::value(message, &["impl", "cp", "attn"]).help("write `impl = \"custom\"`, or `cp = 1`")
}
