//! The shared `ckpt` table turns checkpoints on in trainer and orchestrator and replaces their values. Both must write them at the same steps,
//! because a run resumes from both.

use super::{same::same, share};
use crate::native::{Failure, ValidatorCtx};

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.has("ckpt") {
        for table in ["trainer.ckpt", "orchestrator.ckpt"] {
            if !cx.has(table) {
                cx.from("ckpt").set_table(table, None);
            }
        }
        share(cx, "ckpt.output_dir", &["trainer.ckpt.output_dir"]);
        share(cx, "ckpt.interval", &["trainer.ckpt.interval", "orchestrator.ckpt.interval"]);
        share(cx, "ckpt.resume_step", &["trainer.ckpt.resume_step", "orchestrator.ckpt.resume_step"]);
        share(cx, "ckpt.keep", &["trainer.ckpt.keep", "orchestrator.ckpt.keep"]);
        share(cx, "ckpt.keep_last", &["trainer.ckpt.keep_last", "orchestrator.ckpt.keep_last"]);
        share(cx, "ckpt.keep_interval", &["trainer.ckpt.keep_interval", "orchestrator.ckpt.keep_interval"]);
    }
    match (cx.has("trainer.ckpt"), cx.has("orchestrator.ckpt")) {
        (true, false) => return Err(one_sided("trainer.ckpt", "orchestrator.ckpt")),
        (false, true) => return Err(one_sided("orchestrator.ckpt", "trainer.ckpt")),
        (false, false) => return Ok(()),
        (true, true) => {}
    }
    same(cx, "trainer.ckpt.interval", "orchestrator.ckpt.interval", "ckpt.interval")?;
    same(cx, "trainer.ckpt.resume_step", "orchestrator.ckpt.resume_step", "ckpt.resume_step")
}

fn one_sided(present: &'static str, absent: &'static str) -> Failure {
    let message = format!("`[{present}]` is present, `[{absent}]` is not: a run resumes only with the checkpoints of both");
    Failure::value(message, &[present, absent]).help(format!("add `[{absent}]`, or use `[ckpt]` for both"))
}
