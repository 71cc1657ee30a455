//! Router replay trains with the experts that the inference server selected, so the server has to return them. Neither the llm-d router nor a KV
//! cache outside the GPU returns them.

use cfg_schema::Behaviour;

use super::engine::engine;
use crate::native::{Failure, ValidatorCtx};

pub(super) fn set_up(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.bool("trainer.enable_router_replay") && cx.has("inference") {
        let experts = engine(cx.point).routed_experts;
        cx.from("trainer.enable_router_replay").set_bool(experts, true);
    }
    Ok(())
}

pub(super) fn not_through_llm_d(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let kind = if cx.point.lacks(Behaviour::Router) { "inference.deployment.router.type" } else { "inference.router.type" };
    let experts = engine(cx.point).routed_experts;
    if !cx.bool(experts) || !cx.is(kind, "llm-d") {
        return Ok(());
    }
    Err(Failure::value(
        format!("`{kind}` is \"llm-d\", which does not return the chosen experts"),
        &[kind, experts, "trainer.enable_router_replay"],
    )
    .help(format!("set `{kind} = \"vllm-router\"`, or turn router replay off")))
}

pub(super) fn without_kv_offload(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.bool("trainer.enable_router_replay") || !cx.has("inference.kv_cache_offload") {
        return Ok(());
    }
    let ends = &["trainer.enable_router_replay", "inference.kv_cache_offload"];
    Err(Failure::value(
        "`trainer.enable_router_replay` is true, but `inference.kv_cache_offload` is set: a cache hit does not show which experts \
         were chosen",
        ends,
    )
    .help("keep one of them"))
}
