//! A loss that depends on a teacher requires a teacher. This check runs before a teacher's server is set up, so it requires a teacher in the
//! config; since there are deployments, even if GPUs are reserved for it.

use cfg_schema::Behaviour;

use crate::native::{Failure, ValidatorCtx};

pub(super) fn model(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.point.has(Behaviour::Deployments) && !cx.is("trainer.loss.type", "default") {
        return Ok(());
    }
    let tau = "trainer.loss.teacher_tau";
    if !cx.exists(tau) {
        let message = "this prime-rl reads `trainer.loss.teacher_tau`, which this type of loss does not have, and crashes";
        return Err(Failure::exception("AttributeError", message, &["trainer.loss.type"])
            .help("with rl, only `trainer.loss.type = \"default\"` works at this version"));
    }
    let Some(value) = cx.float(tau).filter(|value| *value > 0.0) else { return Ok(()) };
    if cx.has("orchestrator.teacher_model") {
        return Ok(());
    }
    // If `teacher_inference` has an error, its corrected value may add a teacher.
    cx.doubt_faulty("teacher_inference");
    let message = format!("`{tau}` is {value}, but there is no `orchestrator.teacher_model` to compare with");
    Err(Failure::value(message, &[tau, "orchestrator.teacher_model"])
        .help(format!("add `[orchestrator.teacher_model]`, or set `{tau} = 0`")))
}

/// The SLURM script of several nodes starts no teacher.
pub(super) fn not_on_several_nodes(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.tag("deployment") != Some("multi_node") || !cx.has("teacher_inference") {
        return Ok(());
    }
    let message =
        "`deployment.type` is \"multi_node\" and `teacher_inference` is set: prime-rl starts a teacher only on a single node";
    Err(Failure::value(message, &["teacher_inference", "deployment.type"]).help("remove `teacher_inference`"))
}
