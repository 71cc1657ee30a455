//! On several nodes the evals are a separate SLURM job: nodes, a router in front of their engines, and an inference server to start there.

use cfg_schema::Behaviour;

use super::{same_model, transfer, whole_groups};
use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    const NODES: &str = "deployment.num_infer_nodes";
    if !cx.has("inference") {
        let message = "`eval` is set and `deployment.type` is \"multi_node\", but `inference` is not: the evals' job starts it";
        return Err(Failure::value(message, &["inference", "deployment.type"]).help("add an `[inference]` table"));
    }
    let nodes = cx.int(NODES).unwrap_or_default();
    if nodes < 1 {
        let message = format!(
            "`eval` is set, but `{NODES}` is {nodes}: evals on several nodes need at least one separate \
            node"
        );
        return Err(Failure::value(message, &[NODES, "eval"]).help(format!("set `{NODES}` to 1 or more")));
    }
    if !cx.has("inference.router") {
        let message =
            "`inference.router` is off, but `deployment.type` is \"multi_node\": evals reach the engines through a router";
        return Err(Failure::value(message, &["inference.router", "deployment.type"]).help(
            "remove `inference.router = \
            \"None\"`",
        ));
    }
    same_model(cx)?;
    whole_groups(cx, "deployment.gpus_per_node")?;
    if cx.point.lacks(Behaviour::EvalTransfer) {
        return transfer::from_disk(cx);
    }
    let gpus = cx.int("deployment.gpus_per_node").unwrap_or_default();
    transfer::apply(cx, nodes.saturating_mul(gpus));
    Ok(())
}
