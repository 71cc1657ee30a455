//! Only SLURM starts several nodes, and the size of the groups that share one copy of the weights must divide the number of nodes.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn needs_slurm(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.tag("deployment") != Some("multi_node") || cx.has("slurm") {
        return Ok(());
    }
    let message = "`deployment.type` is \"multi_node\", but `slurm` is not set: only SLURM starts several nodes";
    Err(Failure::value(message, &["deployment.type", "slurm"]).help("add a `[slurm]` table, or write `type = \"single_node\"`"))
}

pub(super) fn replicas(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    const GROUP: &str = "deployment.nodes_per_fsdp_group";
    // 15d6c8197 renamed the number of nodes.
    let nodes = if cx.exists("deployment.num_nodes") { "deployment.num_nodes" } else { "deployment.num_train_nodes" };
    let (Some(group), Some(count)) = (cx.int(GROUP), cx.int(nodes)) else { return Ok(()) };
    match count.checked_rem(group) {
        Some(0) => {
            cx.from("deployment.nodes_per_fsdp_group").set_int("model.dp_replicate", count.wrapping_div(group));
            Ok(())
        }
        None if group == 0 => {
            let message = format!("`{GROUP}` is 0: nodes can't be divided into groups of 0");
            Err(Failure::exception("ZeroDivisionError", message, &[GROUP, nodes]).help("write 1 or more, or remove it"))
        }
        _ => {
            let message = format!("`{GROUP}` is {group}, but `{nodes}` is {count}: the nodes do not form whole groups");
            Err(Failure::value(message, &[GROUP, nodes]).help(format!("write a number that divides {count}")))
        }
    }
}
