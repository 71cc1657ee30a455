//! The checks of the rl config's inner tables: a teacher on several nodes, and settings of the shared Weights & Biases table that exclude each other.
//! (The number of GPUs of a single node is checked with the tables that all configs share.)

use crate::native::{Check, Failure, ValidatorCtx};

pub(super) fn find(name: &str) -> Option<Check> {
    Some(match name {
        "teacher_inference_not_supported" => no_teacher_nodes,
        "validate_shared_not_offline" => shared_not_offline,
        "validate_not_offline" => not_offline,
        _ => return None,
    })
}

/// The SLURM script of several nodes starts no teacher.
fn no_teacher_nodes(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let Some(nodes) = cx.int("num_teacher_nodes") else { return Ok(()) };
    let message = format!("`num_teacher_nodes` is {nodes}, but prime-rl does not start a teacher on several nodes");
    Err(Failure::value(message, &["num_teacher_nodes"]).help("remove `num_teacher_nodes`"))
}

/// Offline logging is not allowed for a shared run: two processes can write to one run only through the server.
fn shared_not_offline(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.bool("shared") || !cx.bool("offline") {
        return Ok(());
    }
    let message = "`shared` is true and `offline` is true: trainer and orchestrator can share a run only through the W&B server";
    Err(Failure::value(message, &["offline", "shared"]).help("set `offline = false`, or `shared = false`"))
}

/// As `shared_not_offline`, at versions at which every run is shared.
fn not_offline(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.bool("offline") {
        return Ok(());
    }
    let message = "`offline` is true, but trainer and orchestrator share a run, which works only through the W&B server";
    Err(Failure::value(message, &["offline"]).help("set `offline = false`"))
}
