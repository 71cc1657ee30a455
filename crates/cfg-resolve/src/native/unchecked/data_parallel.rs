//! How the orchestrator addresses the data-parallel ranks of servers behind a router.

use crate::native::{Failure, ValidatorCtx};

/// A server of its own for each rank, behind a router, and a client that asks for ranks by number. With expert parallelism, and with separate prefill and decode,
/// the servers are one group, and know all ranks.
pub(super) fn ranks_behind_router(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let is_multi_node = cx.tag("deployment").is_some_and(|kind| kind == "multi_node");
    let clients = [
        "orchestrator.student.client.dp_rank_count",
        "orchestrator.model.client.dp_rank_count",
        "orchestrator.client.dp_rank_count",
    ];
    let Some(key) = clients.into_iter().find(|key| cx.exists(*key)) else { return Ok(()) };
    let ranks = cx.int(key).unwrap_or(1);
    let is_group =
        cx.bool("inference.enable_expert_parallel") || cx.tag("inference.deployment").is_some_and(|kind| kind == "disaggregated");
    if !is_multi_node || is_group || !cx.has("slurm") || !cx.has("inference") || ranks <= 1 {
        return Ok(());
    }
    let message = format!(
        "`{key}` is {ranks}, but behind the router of several nodes each data-parallel rank is a server with the only rank 0"
    );
    Err(Failure::value(message, &[key, "deployment", "inference"])
        .help(format!("write `{key} = 1`: the router distributes the requests")))
}
