//! The orchestrator's client is pointed at the inference server of the same file, where its addresses are not written.

use cfg_compose::Origin;
use cfg_schema::Point;

use super::engine::engine;
use crate::{
    Resolved, ResolvedValue,
    native::{Cx, Failure},
};

/// 8dfe8734e: on many nodes the router spreads the requests.
const ROUTER_SPREADS: Point = Point(353);
/// 0be5ac452: the client is the model's, and algorithms stand in for the training mode.
const ALGORITHMS: Point = Point(361);
/// 9551e20fa: the client no longer counts engines, and knows the engines behind the router.
const ROUTER: Point = Point(401);
/// d135ed4c9: the environments are called sources.
const SOURCES: Point = Point(402);
/// 289562d2e: one address in place of a list.
const ONE_ADDRESS: Point = Point(414);
pub(super) fn run(cx: &mut Cx<'_>) -> Result<(), Failure> {
    if !cx.has("inference") {
        return Ok(());
    }
    let (ranks, url, admin) = if cx.point < ALGORITHMS {
        ("orchestrator.student.client.dp_rank_count", "orchestrator.student.client.base_url", "")
    } else {
        (
            "orchestrator.model.client.dp_rank_count",
            "orchestrator.model.client.base_url",
            "orchestrator.model.client.admin_base_url",
        )
    };
    if cx.point < ROUTER && !cx.is_set(ranks) {
        cx.set_int(ranks, count(cx));
    }
    if !is_sampled(cx) && !cx.is_set(url) {
        let address = address(cx, "inference.server.port");
        let address = if cx.point < ONE_ADDRESS { list(address) } else { address };
        cx.from("inference.server.port").set(url, address);
    }
    if cx.point >= ROUTER && cx.tag("deployment") == Some("single_node") && cx.has("inference.router") && !cx.is_set(admin) {
        let address = address(cx, "inference.backend_port");
        cx.from("inference.backend_port").set(admin, list(address));
    }
    Ok(())
}

fn count(cx: &Cx<'_>) -> i64 {
    if cx.point >= ROUTER_SPREADS && cx.tag("deployment") == Some("multi_node") {
        return 1;
    }
    let engine = engine(cx.point);
    cx.int(engine.dp_local).filter(|&local| local != 0).or_else(|| cx.int(engine.dp)).unwrap_or(1)
}

/// Whether any rollout is sampled from the model that is trained; otherwise the client speaks to the server of this file by itself.
fn is_sampled(cx: &mut Cx<'_>) -> bool {
    if cx.point < ALGORITHMS {
        return !cx.is("orchestrator.training_mode", "sft");
    }
    let envs = if cx.point < SOURCES { "orchestrator.train.env" } else { "orchestrator.train.source" };
    cx.each(envs).iter().any(|env| env.is("algo.sampling.source", "policy"))
}

fn address(cx: &Cx<'_>, port: &str) -> ResolvedValue {
    let host = cx.str("inference.server.host").filter(|host| !host.is_empty());
    let text = format!("http://{}:{}/v1", host.as_deref().unwrap_or("localhost"), cx.int(port).unwrap_or_default());
    ResolvedValue::Str(text.into())
}

fn list(value: ResolvedValue) -> ResolvedValue {
    ResolvedValue::List(vec![Resolved { value, origin: Origin::Default }])
}
