//! Until 3b386a448 prime-rl could start an inference server for a teacher, on GPUs of the same node: a copy of the inference server's config, on the
//! next port, whose address the orchestrator gets. The SLURM job of several nodes did not support it.

use super::python::{divides, floor_div};
use crate::native::{Failure, ValidatorCtx};

pub(super) fn not_on_many_nodes(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.tag("deployment") != Some("multi_node") || !cx.has("teacher_inference") {
        return Ok(());
    }
    Err(Failure::value(
        "there is a `teacher_inference` table, but `deployment.type` is \"multi_node\"",
        &["teacher_inference", "deployment.type"],
    )
    .help("deploy on a single node, or start the teacher's server yourself"))
}

pub(super) fn set_up(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    const GPUS: &str = "deployment.num_teacher_gpus";
    const PORT: &str = "teacher_inference.server.port";
    const TP: &str = "teacher_inference.parallel.tp";
    let Some(gpus) = cx.int(GPUS).filter(|&gpus| gpus != 0) else { return Ok(()) };
    let inference_port = cx.int("inference.server.port");
    if !cx.has("teacher_inference") {
        if cx.has("inference") {
            cx.copy("inference", "teacher_inference");
        } else {
            cx.from(GPUS).set_table("teacher_inference", None);
        }
        cx.from("inference.server.port").set_int(PORT, inference_port.unwrap_or(8000).saturating_add(1));
    } else if let Some(port) = inference_port.filter(|&port| cx.int(PORT) == Some(port)) {
        let message = format!("`{PORT}` and `inference.server.port` are both {port}");
        return Err(Failure::value(message, &[PORT, "inference.server.port"]).help("give the teacher's server another port"));
    }
    let (dp, tp) = (cx.int("teacher_inference.parallel.dp").unwrap_or(1), cx.int(TP).unwrap_or(1));
    if gpus != dp.saturating_mul(tp) {
        if !divides(tp, gpus, TP)? || gpus < 0 {
            return Err(Failure::assertion(format!("`{GPUS}` is {gpus}, which is not a multiple of `{TP}` = {tp}"), &[GPUS, TP])
                .help(format!("set `{GPUS}` to a multiple of {tp}")));
        }
        cx.from(GPUS).set_int("teacher_inference.parallel.dp", floor_div(gpus, tp, TP)?);
    }
    if !cx.has("orchestrator.teacher") {
        cx.from(GPUS).set_table("orchestrator.teacher", None);
    }
    let host = cx.str("teacher_inference.server.host").filter(|host| !host.is_empty());
    let address = format!("http://{}:{}/v1", host.unwrap_or("localhost"), cx.int(PORT).unwrap_or_default());
    cx.from(PORT).set_strs("orchestrator.teacher.client.base_url", &[address]);
    cx.copy("teacher_inference.model.name", "orchestrator.teacher.model.name");
    Ok(())
}
