//! prime-rl starts at least one API server for each data-parallel rank; with `LoRA` exactly one, and none on a headless node.

use cfg_schema::Behaviour;

use crate::native::{Failure, ValidatorCtx};

/// The check at early versions, which does not consider `LoRA`.
pub(super) fn at_least_dp(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    raise(cx, "parallel.dp");
    Ok(())
}

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    const LOCAL: &str = "data_parallel_size_local";
    let in_vllm = cx.point.has(Behaviour::VllmTable);
    let is_headless = if in_vllm { cx.extra_is_true("headless") } else { cx.entry_is_true("vllm_extra", "headless") };
    if cx.point.has(Behaviour::Replicas) && is_headless {
        cx.set_int("api_server_count", 0);
        return Ok(());
    }
    let dp = if in_vllm { "data_parallel_size" } else { "parallel.dp" };
    if cx.point.lacks(Behaviour::ExpertsOverNodes) {
        raise(cx, dp);
    } else if !cx.is_set("api_server_count") {
        let has_local = cx.int(LOCAL).is_some_and(|local| local != 0);
        raise(cx, if has_local { LOCAL } else { dp });
    }
    if cx.bool("enable_lora") {
        cx.from("enable_lora").set_int("api_server_count", 1);
    }
    Ok(())
}

fn raise(cx: &mut ValidatorCtx<'_>, ranks: &'static str) {
    let least = cx.int(ranks).unwrap_or(1);
    if cx.int("api_server_count").is_some_and(|count| count < least) {
        cx.copy(ranks, "api_server_count");
    }
}
