//! Values that are derived from the numbers of nodes and GPUs: the trainer's workers, inference's data-parallel ranks and servers, and the number of
//! workers that receive an NCCL broadcast.

mod expert_parallel;

use cfg_schema::Behaviour;

use super::{devices, train_workers};
use crate::native::{
    Failure, ValidatorCtx,
    inference::{divides, floor_div},
};

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    match cx.tag("deployment") {
        Some("single_node") => single_node(cx),
        Some("multi_node") => multi_node(cx),
        _ => Ok(()),
    }
}

fn single_node(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let train = cx.int("deployment.num_train_gpus").unwrap_or(1);
    if train > 1 {
        let workers = floor_div(train, train_workers::one_sequence(cx), &["trainer.model.cp"])?;
        cx.from("deployment.num_train_gpus").set_int("orchestrator.num_train_workers", workers);
    }
    if !cx.has("inference") {
        return Ok(());
    }
    let gpus = cx.int("deployment.num_infer_gpus").unwrap_or(1);
    devices::ranks(cx, "inference", gpus, "deployment.num_infer_gpus")?;
    let (dp, servers) = (cx.int("inference.parallel.dp").unwrap_or(1), cx.int("inference.api_server_count").unwrap_or(1));
    if cx.point.has(Behaviour::ServersOfOneNode) && servers < dp && !cx.bool("inference.enable_lora") {
        cx.copy("inference.parallel.dp", "inference.api_server_count");
    }
    Ok(())
}

fn multi_node(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let nodes = cx.int("deployment.num_train_nodes").unwrap_or(1);
    let gpus = cx.int("deployment.gpus_per_node").unwrap_or(8);
    cx.from("deployment.num_train_nodes").set_int("orchestrator.num_train_workers", nodes.saturating_mul(gpus));
    if let Some(group) = cx.int("deployment.nodes_per_fsdp_group") {
        let ends = ["deployment.nodes_per_fsdp_group", "deployment.num_train_nodes"];
        if !divides(group, nodes, &ends)? {
            let message = format!(
                "`deployment.num_train_nodes` is {nodes}, `deployment.nodes_per_fsdp_group` is {group}: the nodes do not form whole groups"
            );
            return Err(Failure::value(message, &ends).help("set `nodes_per_fsdp_group` to a divisor of `num_train_nodes`"));
        }
        cx.from("deployment.nodes_per_fsdp_group").set_int("trainer.model.dp_replicate", floor_div(nodes, group, &ends)?);
    }
    if cx.has("inference") && cx.tag("inference.deployment") != Some("disaggregated") {
        if cx.bool("inference.enable_expert_parallel") {
            if cx.point.has(Behaviour::ExpertsOverNodes) {
                expert_parallel::check(cx, gpus)?;
            }
        } else if cx.point.has(Behaviour::RanksPerNode) {
            node_ranks(cx, gpus)?;
        }
    }
    if cx.is("weight_broadcast.type", "nccl") {
        nccl(cx, gpus);
    }
    Ok(())
}

fn node_ranks(cx: &mut ValidatorCtx<'_>, gpus: i128) -> Result<(), Failure> {
    let tp = cx.int("inference.parallel.tp").unwrap_or(1);
    let ranks = floor_div(gpus, tp, &["inference.parallel.tp"])?;
    if ranks <= 1 {
        return Ok(());
    }
    if cx.int("inference.parallel.dp") == Some(1) {
        cx.from("deployment.gpus_per_node").set_int("inference.parallel.dp", ranks);
    }
    if !cx.has("inference.data_parallel_size_local") {
        cx.from("deployment.gpus_per_node").set_int("inference.data_parallel_size_local", ranks);
    }
    if cx.int("inference.api_server_count") == Some(1) {
        cx.from("deployment.gpus_per_node").set_int("inference.api_server_count", ranks);
    }
    Ok(())
}

fn nccl(cx: &mut ValidatorCtx<'_>, gpus: i128) {
    let replicas = if cx.point.lacks(Behaviour::Replicas) { 1 } else { cx.int("deployment.num_infer_replicas").unwrap_or(1) };
    let nodes = cx.int("deployment.num_infer_nodes").unwrap_or(1).saturating_mul(replicas);
    let each = if cx.point.lacks(Behaviour::RanksPerNode) {
        gpus
    } else {
        let servers = cx.int("inference.api_server_count").unwrap_or(1);
        servers.saturating_mul(cx.int("inference.parallel.tp").unwrap_or(1))
    };
    let workers = nodes.saturating_mul(each);
    cx.from("deployment").set_str("trainer.weight_broadcast.host", "0.0.0.0");
    cx.from("deployment.num_infer_nodes").set_int("trainer.weight_broadcast.inference_world_size", workers);
    if cx.point.has(Behaviour::Replicas) {
        cx.from("deployment.num_infer_nodes").set_int("orchestrator.weight_broadcast.inference_world_size", workers);
    }
}
