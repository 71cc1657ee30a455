//! If prefill and decode run on separate nodes, a replica has exactly their nodes, and the orchestrator gets the role of each engine, so that it can
//! separate their metrics.

use super::{engine::engine, infer_nodes, python::floor_div};
use crate::{
    Resolved, ResolvedValue,
    native::{Failure, ValidatorCtx},
};
use cfg_compose::Origin;
use cfg_schema::Behaviour;

/// A number of engines that no cluster has; a list of more is not built.
const TOO_MANY: i128 = 1 << 16;

/// The number of prefill nodes in the inference deployment.
fn prefill(cx: &ValidatorCtx<'_>) -> i128 {
    part(
        cx,
        "inference.deployment.num_prefill_nodes",
        "inference.deployment.prefill_nodes_per_replica",
        "inference.deployment.num_prefill_replicas",
    )
}

fn decode(cx: &ValidatorCtx<'_>) -> i128 {
    part(
        cx,
        "inference.deployment.num_decode_nodes",
        "inference.deployment.decode_nodes_per_replica",
        "inference.deployment.num_decode_replicas",
    )
}

/// The number of nodes of a role: as given, or since e96bbae2d the nodes of a replica times the replicas.
fn part(cx: &ValidatorCtx<'_>, total: &'static str, per_replica: &'static str, replicas: &'static str) -> i128 {
    cx.int(total).unwrap_or_else(|| cx.int(per_replica).unwrap_or(1).saturating_mul(cx.int(replicas).unwrap_or(1)))
}

/// The number of nodes that the inference deployment requests.
pub(super) fn nodes(cx: &ValidatorCtx<'_>) -> i128 {
    prefill(cx).saturating_add(decode(cx))
}

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    const ROLES: &str = "orchestrator.inference_metrics_roles";
    if cx.tag("inference.deployment") != Some("disaggregated") || cx.tag("deployment") != Some("multi_node") {
        return Ok(());
    }
    let (prefill, decode) = (prefill(cx), decode(cx));
    let (given, wanted) = (infer_nodes::per_replica(cx), nodes(cx));
    if given != wanted {
        let message = format!(
            "`deployment.num_infer_nodes` is {given}, but the inference deployment has {prefill} prefill and {decode} decode nodes"
        );
        return Err(Failure::value(message, &["deployment.num_infer_nodes", "inference.deployment"])
            .help(format!("set `deployment.num_infer_nodes = {wanted}`")));
    }
    let gpus = cx.int("deployment.gpus_per_node").unwrap_or(8);
    if cx.exists(ROLES) && !cx.is_set(ROLES) {
        let tp = engine(cx.point).tp;
        let per_node = if cx.point.lacks(Behaviour::RolePerEngine) { 1 } else { floor_div(gpus, cx.int(tp).unwrap_or(1), tp)? };
        let replicas = cx.int("deployment.num_infer_replicas").unwrap_or(1);
        if let Some(roles) = roles(prefill.saturating_mul(per_node), decode.saturating_mul(per_node), replicas) {
            cx.from("inference.deployment").set(ROLES, roles);
        }
    }
    if matches!(cx.tag("trainer.weight_broadcast"), Some("nccl" | "nixl")) && cx.has("weight_broadcast") {
        let size = infer_nodes::total(cx).saturating_mul(gpus);
        cx.from("deployment.num_infer_nodes").set_int("trainer.weight_broadcast.inference_world_size", size);
        cx.from("deployment.num_infer_nodes").set_int("orchestrator.weight_broadcast.inference_world_size", size);
    }
    Ok(())
}

fn roles(prefill: i128, decode: i128, replicas: i128) -> Option<ResolvedValue> {
    if prefill.max(0).saturating_add(decode.max(0)).saturating_mul(replicas.max(0)) > TOO_MANY {
        return None;
    }
    let role = |text: &str| Resolved { value: ResolvedValue::Str(text.into()), origin: Origin::Default };
    let replica = || (0..prefill).map(|_| role("prefill")).chain((0..decode).map(|_| role("decode")));
    Some(ResolvedValue::List((0..replicas).flat_map(|_| replica()).collect()))
}
