//! Each replica of a disaggregated deployment uses the same number of nodes.

use super::divides;
use crate::native::{Failure, ValidatorCtx};

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    both(cx, "num_prefill_replicas", "num_prefill_nodes")?;
    both(cx, "num_decode_replicas", "num_decode_nodes")
}

fn both(cx: &ValidatorCtx<'_>, replicas_key: &'static str, nodes_key: &'static str) -> Result<(), Failure> {
    let (Some(replicas), Some(nodes)) = (cx.int(replicas_key), cx.int(nodes_key)) else { return Ok(()) };
    if divides(replicas, nodes, &[replicas_key])? {
        return Ok(());
    }
    let message = format!("`{nodes_key}` is {nodes}, `{replicas_key}` is {replicas}: the nodes can't be divided evenly");
    Err(Failure::value(message, &[nodes_key, replicas_key]).help(format!("set `{nodes_key}` to a multiple of {replicas}")))
}
