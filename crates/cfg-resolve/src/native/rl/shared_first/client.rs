//! The orchestrator's client gets the address of the inference server of the same file, if the config has no address.

use super::engine::engine;
use crate::{
    Resolved, ResolvedValue,
    native::{Failure, ValidatorCtx},
};
use cfg_compose::Origin;
use cfg_schema::Behaviour;

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.has("inference") {
        return Ok(());
    }
    let (ranks, url, admin) = if cx.point.lacks(Behaviour::Algorithms) {
        ("orchestrator.student.client.dp_rank_count", "orchestrator.student.client.base_url", "")
    } else {
        (
            "orchestrator.model.client.dp_rank_count",
            "orchestrator.model.client.base_url",
            "orchestrator.model.client.admin_base_url",
        )
    };
    if cx.point.lacks(Behaviour::Router) && !cx.is_set(ranks) {
        cx.set_int(ranks, count(cx));
    }
    if !is_sampled(cx) && !cx.is_set(url) {
        let address = address(cx, "inference.server.port");
        let address = if cx.point.lacks(Behaviour::OneAddress) { list(address) } else { address };
        cx.from("inference.server.port").set(url, address);
    }
    if cx.point.has(Behaviour::Router)
        && cx.tag("deployment") == Some("single_node")
        && cx.has("inference.router")
        && !cx.is_set(admin)
    {
        let address = address(cx, "inference.backend_port");
        cx.from("inference.backend_port").set(admin, list(address));
    }
    Ok(())
}

fn count(cx: &ValidatorCtx<'_>) -> i128 {
    if cx.point.has(Behaviour::RouterSpreads) && cx.tag("deployment") == Some("multi_node") {
        return 1;
    }
    let engine = engine(cx.point);
    cx.int(engine.dp_local).filter(|&local| local != 0).or_else(|| cx.int(engine.dp)).unwrap_or(1)
}

/// Whether any rollout is sampled from the trained model. Otherwise, the client does not use the server of this file.
fn is_sampled(cx: &mut ValidatorCtx<'_>) -> bool {
    if cx.point.lacks(Behaviour::Algorithms) {
        return !cx.is("orchestrator.training_mode", "sft");
    }
    let envs = if cx.point.lacks(Behaviour::Sources) { "orchestrator.train.env" } else { "orchestrator.train.source" };
    cx.each(envs).iter().any(|env| env.is("algo.sampling.source", "policy"))
}

fn address(cx: &ValidatorCtx<'_>, port: &'static str) -> ResolvedValue {
    let host = cx.str("inference.server.host").filter(|host| !host.is_empty());
    let text = format!("http://{}:{}/v1", host.unwrap_or("localhost"), cx.int(port).unwrap_or_default());
    ResolvedValue::Str(text.into())
}

fn list(value: ResolvedValue) -> ResolvedValue {
    ResolvedValue::List(vec![Resolved { value, origin: Origin::Default }])
}
