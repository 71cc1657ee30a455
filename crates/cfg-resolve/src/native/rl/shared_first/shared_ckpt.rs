//! A checkpoint is complete only if trainer and orchestrator write it at the same step, and a run resumes from a single step.

use cfg_schema::Behaviour;

use super::{python::equal, shared::agree};
use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &ValidatorCtx<'_>) -> Result<(), Failure> {
    const TRAINER: &str = "trainer.ckpt";
    const ORCHESTRATOR: &str = "orchestrator.ckpt";
    both(cx, TRAINER, ORCHESTRATOR, "ckpt", "a run resumes only with the checkpoints of both")?;
    let are_on = cx.has(TRAINER) && cx.has(ORCHESTRATOR);
    if are_on {
        agree(cx, "trainer.ckpt.interval", "orchestrator.ckpt.interval", "ckpt.interval")?;
    }
    if cx.point.has(Behaviour::RunTable) {
        resume(cx)
    } else if are_on {
        agree(cx, "trainer.ckpt.resume_step", "orchestrator.ckpt.resume_step", "ckpt.resume_step")
    } else {
        Ok(())
    }
}

/// Refuses a table that only one of the two has.
pub(super) fn both(
    cx: &ValidatorCtx<'_>,
    one: &'static str,
    other: &'static str,
    shared: &str,
    why: &str,
) -> Result<(), Failure> {
    let (there, missing) = match (cx.has(one), cx.has(other)) {
        (true, false) => (one, other),
        (false, true) => (other, one),
        _ => return Ok(()),
    };
    Err(Failure::value(format!("there is `{there}`, but no `{missing}`: {why}"), &[there, missing])
        .help(format!("move `{there}` to `{shared}`, which both share, or write both tables")))
}

fn resume(cx: &ValidatorCtx<'_>) -> Result<(), Failure> {
    const ENDS: [&str; 2] = ["trainer.resume", "orchestrator.resume"];
    if cx.has(ENDS[0]) != cx.has(ENDS[1]) {
        return both(cx, ENDS[0], ENDS[1], "resume", "they would not start from the same step");
    }
    let are_equal = equal(cx, "trainer.resume.step", "orchestrator.resume.step")
        && equal(cx, "trainer.resume.dir", "orchestrator.resume.dir");
    if !cx.has(ENDS[0]) || are_equal {
        return Ok(());
    }
    Err(Failure::value("`trainer.resume` and `orchestrator.resume` name different checkpoints", &ENDS)
        .help("write a shared `[resume]` table instead of the two"))
}
