//! A deployment on several nodes requires SLURM, and inference nodes require an inference config and vice versa. Without inference nodes there
//! are no rollouts, so the trainer must use random data.

use cfg_schema::Behaviour;

use super::{infer_nodes, multi_node, single_node};
use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.tag("deployment") != Some("multi_node") {
        return Ok(());
    }
    if !cx.has("slurm") {
        return Err(Failure::value(
            "`deployment.type` is \"multi_node\", but there is no `slurm` table",
            &["deployment.type", "slurm"],
        )
        .help("add a `[slurm]` table, or deploy on a single node"));
    }
    let nodes = infer_nodes::per_replica(cx);
    let ends = &["deployment.num_infer_nodes", "inference"];
    if nodes > 0 && !cx.has("inference") {
        let message = format!("`deployment.num_infer_nodes` is {nodes}, but there is no `inference` table");
        return Err(Failure::value(message, ends).help("add an `[inference]` table, or set `deployment.num_infer_nodes = 0`"));
    }
    if nodes == 0 && cx.has("inference") {
        return Err(Failure::value("`deployment.num_infer_nodes` is 0, but there is an `inference` table", ends)
            .help("set `deployment.num_infer_nodes` to 1 or more, or remove `[inference]`"));
    }
    if nodes == 0 && !cx.has("trainer.data.fake") && !cx.bool("bench") {
        let with_bench = if cx.point.lacks(Behaviour::NoBench) { " or `bench = true`" } else { "" };
        return Err(Failure::value(
            "without inference nodes nothing generates rollouts, and `trainer.data.fake` is not set",
            &["deployment.num_infer_nodes", "trainer.data.fake"],
        )
        .help(format!("add a `[trainer.data.fake]` table{with_bench}, or set `deployment.num_infer_nodes` to 1 or more")));
    }
    Ok(())
}

/// Distributes trainer and inference over the GPUs.
pub(super) fn set_up(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.point.has(Behaviour::OneAddress) {
        cx.copy("trainer.model.cp", "orchestrator.pad_to_multiple_of");
    }
    match cx.tag("deployment") {
        Some("single_node") => single_node::run(cx),
        Some("multi_node") => multi_node::run(cx),
        _ => Ok(()),
    }
}
