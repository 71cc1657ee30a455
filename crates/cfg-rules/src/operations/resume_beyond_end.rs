//! A run that resumes from its last step, or from a later one, trains nothing.

use cfg_diag::codes;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::RESUME_BEYOND_END,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Trainer, Kind::Orchestrator],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let (steps, step, dir, in_rl) = match (&cx.plan.trainer, &cx.plan.orchestrator) {
        (Some(trainer), _) => (&trainer.max_steps, &trainer.resume_step, &trainer.resume_dir, "trainer.ckpt.skip_progress"),
        (None, Some(orchestrator)) => {
            (&orchestrator.max_steps, &orchestrator.resume_step, &orchestrator.resume_dir, "orchestrator.ckpt.skip_progress")
        }
        (None, None) => return None,
    };
    // Below the first step, the end itself is the fault.
    let end = steps.fact().filter(|end| end.value > 0)?;
    let from = match step.fact() {
        Some(step) => step.value,
        None => step_of(&dir.fact()?.value)?,
    };
    // If only the weights are loaded, the run starts at its first step.
    if from < end.value || cx.view.bool(if cx.kind == Kind::Rl { in_rl } else { "ckpt.skip_progress" }) == Some(true) {
        return None;
    }
    let message = format!("the run would resume from step {from}, but ends at step {}: nothing is trained", end.value);
    let finding = Finding::new(message)
        .help(format!("raise `{}` to the last step to train, counted from the start of the first run", end.written_key()));
    let finding = match (step.fact(), dir.fact()) {
        (Some(step), _) => finding.on(step),
        (None, Some(dir)) => finding.on(dir),
        (None, None) => finding,
    };
    Some(finding.with(end, format!("{} here", end.value)))
}

/// The step in the name of a checkpoint's folder: 20 of `outputs/checkpoints/step_20`.
fn step_of(dir: &str) -> Option<i64> {
    dir.trim_end_matches('/').rsplit('/').next()?.strip_prefix("step_")?.parse().ok()
}
