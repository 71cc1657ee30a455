//! Prefill and decode on separate nodes within a deployment on several nodes: the numbers of nodes must match, and NCCL reaches all of
//! their GPUs.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.tag("inference.deployment") != Some("disaggregated") || cx.tag("deployment") != Some("multi_node") {
        return Ok(());
    }
    let count = |key| cx.int(key).unwrap_or(1);
    let (nodes, replicas) = (count("deployment.num_infer_nodes"), count("deployment.num_infer_replicas"));
    let (prefill, decode) = (count("inference.deployment.num_prefill_nodes"), count("inference.deployment.num_decode_nodes"));
    let gpus = cx.int("deployment.gpus_per_node").unwrap_or(8);
    let expected = prefill.saturating_add(decode);
    if nodes != expected {
        let message = format!(
            "`deployment.num_infer_nodes` is {nodes}, `inference.deployment.num_prefill_nodes` is {prefill} and `num_decode_nodes` {decode}: \
             together {expected}"
        );
        let ends =
            ["deployment.num_infer_nodes", "inference.deployment.num_prefill_nodes", "inference.deployment.num_decode_nodes"];
        return Err(Failure::value(message, &ends).help(format!("set `deployment.num_infer_nodes = {expected}`")));
    }
    if cx.is("weight_broadcast.type", "nccl") {
        let workers = nodes.saturating_mul(replicas).saturating_mul(gpus);
        cx.from("deployment.num_infer_nodes").set_int("trainer.weight_broadcast.inference_world_size", workers);
        cx.from("deployment.num_infer_nodes").set_int("orchestrator.weight_broadcast.inference_world_size", workers);
    }
    Ok(())
}
