//! If experts are distributed over several nodes, data and tensor parallelism must use all inference GPUs, the same number on each node.

use crate::native::{
    Failure, ValidatorCtx,
    inference::{divides, floor_div},
};

const DP: &str = "inference.parallel.dp";
const TP: &str = "inference.parallel.tp";
const GPUS: &str = "deployment.gpus_per_node";
const LOCAL: &str = "inference.data_parallel_size_local";

pub(super) fn check(cx: &mut ValidatorCtx<'_>, gpus: i128) -> Result<(), Failure> {
    let (dp, tp) = (cx.int(DP).unwrap_or(1), cx.int(TP).unwrap_or(1));
    if !divides(tp, gpus, &[TP])? {
        let message = format!("`{GPUS}` is {gpus}, `{TP}` is {tp}: with expert parallelism every node must hold whole ranks");
        return Err(Failure::value(message, &[TP, GPUS]).help(format!("set `{TP}` to a divisor of {gpus}")));
    }
    let share = floor_div(gpus, tp, &[TP])?;
    let nodes = cx.int("deployment.num_infer_nodes").unwrap_or(1);
    let (total, used) = (nodes.saturating_mul(gpus), dp.saturating_mul(tp));
    if used != total {
        let message =
            format!("`{DP}` {dp} times `{TP}` {tp} is {used}, but there are {total} inference GPUs ({nodes} nodes of {gpus})");
        let ends = [DP, TP, "deployment.num_infer_nodes", GPUS];
        return Err(Failure::value(message, &ends).help(format!("set `{DP} = {}`", floor_div(total, tp, &[TP])?)));
    }
    match cx.int(LOCAL) {
        None => cx.from(GPUS).set_int(LOCAL, share),
        Some(local) if local != share => {
            let message = format!("`{LOCAL}` is {local}, but a node of {gpus} GPUs holds {share} ranks of {tp}");
            return Err(Failure::value(message, &[LOCAL, GPUS, TP]).help(format!("set `{LOCAL} = {share}`, or remove it")));
        }
        Some(_) => {}
    }
    if !cx.bool("inference.enable_lora") && cx.int("inference.api_server_count") == Some(dp) {
        cx.from(GPUS).set_int("inference.api_server_count", share);
    }
    Ok(())
}
