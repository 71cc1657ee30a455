//! GPUs reserved for a teacher get their own server: inference's config on the next port, whose address the orchestrator gets.

use cfg_schema::Behaviour;

use super::{client, devices};
use crate::native::{Failure, ValidatorCtx};

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let by_ids = cx.point.lacks(Behaviour::Deployments);
    let key = if by_ids { "teacher_gpu_ids" } else { "deployment.num_teacher_gpus" };
    let gpus = if by_ids { devices::count(cx, key) } else { cx.int(key).unwrap_or(0) };
    if gpus == 0 || (!by_ids && cx.tag("deployment") != Some("single_node")) {
        return Ok(());
    }
    server(cx, by_ids)?;
    devices::ranks(cx, "teacher_inference", gpus, key)?;
    let teacher = if cx.point.lacks(Behaviour::Student) { "orchestrator.teacher_model" } else { "orchestrator.teacher" };
    if !cx.has(teacher) {
        cx.from(key).set_table(teacher, None);
    }
    let url = client::address(cx, "teacher_inference");
    cx.from("teacher_inference.server.port").set_strs(&format!("{teacher}.client.base_url"), &[url]);
    cx.copy("teacher_inference.model.name", &format!("{teacher}.model.name"));
    Ok(())
}

fn server(cx: &mut ValidatorCtx<'_>, by_ids: bool) -> Result<(), Failure> {
    let port = cx.int("inference.server.port");
    if cx.has("teacher_inference") {
        let own = cx.int("teacher_inference.server.port");
        if let (Some(port), Some(own)) = (port, own)
            && port == own
        {
            let message = format!("`teacher_inference.server.port` and `inference.server.port` are both {port}");
            return Err(Failure::value(message, &["teacher_inference.server.port", "inference.server.port"])
                .help("give the teacher another port, or remove `teacher_inference`, which then uses the next port"));
        }
        return Ok(());
    }
    if port.is_some() {
        cx.copy("inference", "teacher_inference");
    } else {
        cx.set_table("teacher_inference", None);
    }
    if port.is_some() || !by_ids {
        cx.from("inference.server.port").set_int("teacher_inference.server.port", port.unwrap_or(8000).saturating_add(1));
    }
    Ok(())
}
