//! On several nodes, the number of nodes of one inference server is derived from the server's own deployment. If both are given they must agree, or
//! the job would request another number of nodes from SLURM than the server uses.

use super::disaggregated;
use crate::native::{Failure, ValidatorCtx};

/// The number of nodes that one copy of the inference server uses.
pub(super) fn per_replica(cx: &ValidatorCtx<'_>) -> i128 {
    cx.int("deployment.num_infer_nodes").unwrap_or(0)
}

/// The nodes of all copies.
pub(super) fn total(cx: &ValidatorCtx<'_>) -> i128 {
    per_replica(cx).saturating_mul(cx.int("deployment.num_infer_replicas").unwrap_or(1))
}

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.tag("deployment") != Some("multi_node") {
        return Ok(());
    }
    let is_spread = cx.tag("inference.deployment") == Some("multi_node");
    let nodes = match cx.tag("inference.deployment") {
        None if !cx.has("inference") => 0,
        Some("multi_node") => cx.int("inference.deployment.num_nodes").unwrap_or(0),
        Some("disaggregated") => disaggregated::nodes(cx),
        _ => 1,
    };
    match cx.int("deployment.num_infer_nodes") {
        None => cx.from("inference.deployment").set_int("deployment.num_infer_nodes", nodes),
        Some(given) if is_spread && given != nodes => {
            let message = format!("`deployment.num_infer_nodes` is {given}, but `inference.deployment.num_nodes` is {nodes}");
            return Err(Failure::value(message, &["deployment.num_infer_nodes", "inference.deployment.num_nodes"])
                .help("remove `deployment.num_infer_nodes`: it follows from the inference deployment"));
        }
        Some(_) => {}
    }
    Ok(())
}
