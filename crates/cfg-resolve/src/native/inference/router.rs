//! Limits of a router: llm-d can't return the experts of a request, and is started only by SLURM. Several nodes need a router in front of
//! their engines.

use cfg_schema::Behaviour;

use super::key;
use crate::native::{Failure, ValidatorCtx};

pub(super) fn no_routed_experts(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let router = if cx.point.lacks(Behaviour::Router) { "deployment.router" } else { "router" };
    let experts = key(cx.point, "enable_return_routed_experts", "vllm.enable_return_routed_experts");
    if cx.tag(router) != Some("llm-d") || !cx.bool(experts) {
        return Ok(());
    }
    let message = format!("`{router}.type` is \"llm-d\" and `{experts}` is true: llm-d can't return the experts of a request");
    Err(Failure::value(message, &[experts, router])
        .help(format!("set `{experts} = false`, or `{router}.type = \"vllm-router\"`")))
}

pub(super) fn deployment(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let deployment = cx.tag("deployment").unwrap_or("single_node");
    let is_single = deployment == "single_node";
    if cx.tag("router") == Some("llm-d") && is_single {
        let message = "`router.type` is \"llm-d\", but `deployment.type` is \"single_node\": llm-d is started by SLURM on several nodes only";
        return Err(Failure::value(message, &["router.type", "deployment.type"])
            .help("set `router.type = \"vllm-router\"`, or `deployment.type = \"multi_node\"`"));
    }
    if !cx.has("router") && !is_single {
        let message = format!("`deployment.type` is \"{deployment}\", but `router` is null: several nodes need a router");
        return Err(Failure::value(message, &["router", "deployment.type"]).help("set `router.type = \"vllm-router\"`"));
    }
    Ok(())
}
