//! On several nodes prime-rl derives what each node runs: the trainer's processes and its groups of nodes, the number of engines per node, and how
//! many processes take part in the weight broadcast. With expert parallelism the engines must use all GPUs of a replica exactly, because all of them
//! form one group.

use cfg_schema::Behaviour;

use super::{
    engine::engine,
    infer_nodes,
    python::{divides, floor_div},
};
use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let gpus = cx.int("deployment.gpus_per_node").unwrap_or(8);
    trainer(cx, gpus)?;
    if cx.has("inference") && cx.tag("inference.deployment") != Some("disaggregated") {
        if cx.bool(engine(cx.point).expert_parallel) {
            experts(cx, gpus)?;
        } else {
            copies(cx, gpus)?;
        }
    }
    world_size(cx, gpus);
    Ok(())
}

fn trainer(cx: &mut ValidatorCtx<'_>, gpus: i128) -> Result<(), Failure> {
    const GROUP: &str = "deployment.nodes_per_fsdp_group";
    let nodes = cx.int("deployment.num_train_nodes").unwrap_or(1);
    let mut workers = nodes.saturating_mul(gpus);
    if cx.point.has(Behaviour::OneAddress) {
        workers = floor_div(workers, cx.int("trainer.model.cp").unwrap_or(1), "trainer.model.cp")?;
    }
    cx.from("deployment.num_train_nodes").set_int("orchestrator.num_train_workers", workers);
    if let Some(group) = cx.int(GROUP) {
        if !divides(group, nodes, GROUP)? {
            let message = format!("`deployment.num_train_nodes` is {nodes}, which is not a multiple of `{GROUP}` = {group}");
            return Err(Failure::value(message, &["deployment.num_train_nodes", GROUP])
                .help(format!("set `deployment.num_train_nodes` to a multiple of {group}")));
        }
        cx.from("deployment.nodes_per_fsdp_group").set_int("trainer.model.dp_replicate", floor_div(nodes, group, GROUP)?);
    }
    Ok(())
}

/// Derives them for expert parallelism.
fn experts(cx: &mut ValidatorCtx<'_>, gpus: i128) -> Result<(), Failure> {
    let engine = engine(cx.point);
    let (dp, tp) = (cx.int(engine.dp).unwrap_or(1), cx.int(engine.tp).unwrap_or(1));
    if !divides(tp, gpus, engine.tp)? {
        let message = format!("`deployment.gpus_per_node` is {gpus}, which is not a multiple of `{}` = {tp}", engine.tp);
        return Err(Failure::value(message, &["deployment.gpus_per_node", engine.tp, engine.expert_parallel])
            .help(format!("with expert parallelism on many nodes, set `{}` to a divisor of {gpus}", engine.tp)));
    }
    let local = floor_div(gpus, tp, engine.tp)?;
    let all = infer_nodes::per_replica(cx).saturating_mul(gpus);
    if dp.saturating_mul(tp) != all {
        let message =
            format!("with expert parallelism `{}` * `{}` is {dp} * {tp}, but a replica has {all} GPUs", engine.dp, engine.tp);
        return Err(Failure::value(message, &[engine.dp, engine.tp, "deployment.num_infer_nodes", "deployment.gpus_per_node"])
            .help(format!("choose them so that their product is {all}")));
    }
    match cx.int(engine.dp_local) {
        None => cx.from("deployment.gpus_per_node").set_int(engine.dp_local, local),
        Some(given) if given != local => {
            let message = format!("`{}` is {given}, but {gpus} GPUs per node hold {local} groups of {tp}", engine.dp_local);
            return Err(Failure::value(message, &[engine.dp_local, "deployment.gpus_per_node", engine.tp])
                .help(format!("remove `{}`, or set it to {local}", engine.dp_local)));
        }
        Some(_) => {}
    }
    if !cx.bool(engine.lora) && cx.int(engine.api_servers) == Some(dp) {
        cx.from("deployment.gpus_per_node").set_int(engine.api_servers, local);
    }
    Ok(())
}

/// Derives them without expert parallelism: each node runs its own copies.
fn copies(cx: &mut ValidatorCtx<'_>, gpus: i128) -> Result<(), Failure> {
    let engine = engine(cx.point);
    let per_node = floor_div(gpus, cx.int(engine.tp).unwrap_or(1), engine.tp)?;
    if per_node <= 1 {
        return Ok(());
    }
    if cx.int(engine.dp) == Some(1) {
        cx.from("deployment.gpus_per_node").set_int(engine.dp, per_node);
    }
    if !cx.has(engine.dp_local) {
        cx.from("deployment.gpus_per_node").set_int(engine.dp_local, per_node);
    }
    if cx.int(engine.api_servers) == Some(1) {
        cx.from("deployment.gpus_per_node").set_int(engine.api_servers, per_node);
    }
    Ok(())
}

fn world_size(cx: &mut ValidatorCtx<'_>, gpus: i128) {
    if !matches!(cx.tag("trainer.weight_broadcast"), Some("nccl" | "nixl")) || !cx.has("weight_broadcast") {
        return;
    }
    let engine = engine(cx.point);
    let per_node = if cx.point.lacks(Behaviour::CountedByGpus) {
        cx.int(engine.api_servers).unwrap_or(1).saturating_mul(cx.int(engine.tp).unwrap_or(1))
    } else {
        gpus
    };
    let size = infer_nodes::total(cx).saturating_mul(per_node);
    if cx.tag("trainer.weight_broadcast") == Some("nccl") {
        cx.from("deployment").set_str("trainer.weight_broadcast.host", "0.0.0.0");
    }
    cx.from("deployment.num_infer_nodes").set_int("trainer.weight_broadcast.inference_world_size", size);
    cx.from("deployment.num_infer_nodes").set_int("orchestrator.weight_broadcast.inference_world_size", size);
}
