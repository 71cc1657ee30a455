//! The checks of the rl config's inner tables: the counts of a deployment, and what excludes each other in the shared Weights & Biases
//! table. The sft config has a deployment of the same kind.

use cfg_schema::Kind;

use crate::native::{Check, Cx, Failure};

pub(super) fn find(name: &str) -> Option<Check> {
    Some(match name {
        "validate_gpu_count" => gpu_count,
        "teacher_inference_not_supported" => no_teacher_nodes,
        "validate_shared_not_offline" => shared_not_offline,
        "validate_not_offline" => not_offline,
        _ => return None,
    })
}

/// The parts of a single node cannot have more GPUs than the node.
fn gpu_count(cx: &mut Cx<'_>) -> Result<(), Failure> {
    const PARTS: [&str; 4] = ["num_gpus", "num_train_gpus", "num_infer_gpus", "num_teacher_gpus"];
    let Some(node) = cx.int("gpus_per_node") else { return Ok(()) };
    let parts: &[&'static str] = if cx.schema.kind == Kind::Sft { &PARTS[..2] } else { &PARTS[1..] };
    let parts: Vec<(&'static str, i64)> = parts.iter().filter_map(|part| Some((*part, cx.int(part)?))).collect();
    let total = parts.iter().fold(0_i64, |total, (_, count)| total.saturating_add(*count));
    if total <= node {
        return Ok(());
    }
    let said: Vec<String> = parts.iter().map(|(part, count)| format!("{part} {count}")).collect();
    let message = format!("{} need {total} GPUs together, but gpus_per_node is {node}", said.join(", "));
    let ends: Vec<&'static str> = parts.iter().map(|(part, _)| *part).chain(["gpus_per_node"]).collect();
    Err(Failure::value(message, &ends).help(format!("set gpus_per_node = {total}, or fewer GPUs for each part")))
}

/// The SLURM script of several nodes starts no teacher.
fn no_teacher_nodes(cx: &mut Cx<'_>) -> Result<(), Failure> {
    let Some(nodes) = cx.int("num_teacher_nodes") else { return Ok(()) };
    let message = format!("num_teacher_nodes is {nodes}, but prime-rl does not start a teacher on several nodes");
    Err(Failure::value(message, &["num_teacher_nodes"]).help("remove num_teacher_nodes"))
}

/// Two processes can write one run only by way of the server.
fn shared_not_offline(cx: &mut Cx<'_>) -> Result<(), Failure> {
    if !cx.bool("shared") || !cx.bool("offline") {
        return Ok(());
    }
    let message = "shared is true and offline is true: trainer and orchestrator share a run only by way of the W&B server";
    Err(Failure::value(message, &["offline", "shared"]).help("set offline = false, or shared = false"))
}

/// The same, once every run is shared.
fn not_offline(cx: &mut Cx<'_>) -> Result<(), Failure> {
    if !cx.bool("offline") {
        return Ok(());
    }
    let message = "offline is true, but trainer and orchestrator share a run, which works only by way of the W&B server";
    Err(Failure::value(message, &["offline"]).help("set offline = false"))
}
