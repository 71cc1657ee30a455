//! Prefill and decode on separate nodes: prime-rl turns expert parallelism on, and fills each node with data-parallel ranks.

use cfg_schema::Behaviour;

use super::{floor_div, key};
use crate::native::{Failure, ValidatorCtx};

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.tag("deployment") != Some("disaggregated") {
        return Ok(());
    }
    let point = cx.point;
    let experts = key(point, "enable_expert_parallel", "vllm.enable_expert_parallel");
    let balancer = key(point, "enable_eplb", "vllm.enable_eplb");
    let tp = key(point, "parallel.tp", "vllm.tensor_parallel_size");
    let local = key(point, "data_parallel_size_local", "vllm.data_parallel_size_local");
    let dp = key(point, "parallel.dp", "vllm.data_parallel_size");
    let servers = key(point, "api_server_count", "vllm.api_server_count");
    if point.has(Behaviour::TransferSwitch) {
        cx.from("deployment").set_bool("use_pd_kv_transfer", true);
    }
    if !cx.is_set(experts) {
        cx.from("deployment").set_bool(experts, true);
    }
    if !cx.is_set(balancer) {
        cx.from("deployment").set_bool(balancer, false);
    }
    let gpus = cx.int("deployment.gpus_per_node").unwrap_or(8);
    let ranks = floor_div(gpus, cx.int(tp).unwrap_or(1), &[tp])?;
    if !cx.has(local) {
        cx.from("deployment").set_int(local, ranks);
    }
    if cx.int(dp) == Some(1) {
        cx.from("deployment").set_int(dp, ranks);
    }
    if cx.int(servers) == Some(1) {
        cx.from("deployment").set_int(servers, ranks);
    }
    Ok(())
}
