//! SLURM starts a deployment on several nodes, which must use each of its nodes.

use cfg_schema::Behaviour;

use crate::native::{Failure, ValidatorCtx};

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.tag("deployment") != Some("multi_node") {
        return Ok(());
    }
    if !cx.has("slurm") {
        let message = "`deployment.type` is \"multi_node\", but there is no `[slurm]` table: prime-rl starts several nodes through SLURM only";
        return Err(Failure::value(message, &["deployment.type", "slurm"])
            .help("add `[slurm]`, or set `deployment.type = \"single_node\"`"));
    }
    let nodes = if cx.point.lacks(Behaviour::NoInferenceNodes) { 1 } else { cx.int("deployment.num_infer_nodes").unwrap_or(1) };
    let has_inference = cx.has("inference");
    let ends = ["deployment.num_infer_nodes", "inference"];
    if nodes > 0 && !has_inference {
        let message = "`deployment.type` is \"multi_node\" with nodes for inference, but there is no `[inference]` table";
        return Err(Failure::value(message, &["deployment.type", "inference"]).help("add `[inference]`"));
    }
    if nodes == 0 && has_inference {
        let message = "`deployment.num_infer_nodes` is 0, but there is an `[inference]` table";
        return Err(Failure::value(message, &ends).help("set `deployment.num_infer_nodes` to 1 or more, or remove `[inference]`"));
    }
    if nodes == 0 && !cx.has("trainer.data.fake") && !cx.bool("bench") {
        let message = "`deployment.num_infer_nodes` is 0 and `trainer.data.fake` is null: the trainer would get no data";
        return Err(Failure::value(message, &["deployment.num_infer_nodes", "trainer.data.fake", "bench"])
            .help("add `[trainer.data.fake]`, or set `bench = true`"));
    }
    Ok(())
}
