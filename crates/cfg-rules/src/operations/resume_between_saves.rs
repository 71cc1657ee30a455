//! A step to resume from at which nothing is saved.

use cfg_diag::codes;
use cfg_schema::Kind;

use super::{resume, trainer_ckpt};
use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::RESUME_BETWEEN_SAVES,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Trainer],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let interval = trainer_ckpt(cx.plan)?.interval.fact().filter(|interval| interval.value > 0)?;
    let resumed = resume(cx)?;
    let step = resumed.step?;
    // A default interval does not show what the earlier run used, and the final checkpoint of a run need not be a multiple.
    let is_beyond = cx.plan.trainer.as_ref()?.max_steps.get().is_some_and(|end| step >= end);
    // In a run with stages, the next one resumes from the last step of the previous one.
    let is_stage = || cx.project.nearby.is_end_of_another(step);
    if step % interval.value == 0 || !interval.is_written() || is_beyond || is_stage() {
        return None;
    }
    let below = step - step % interval.value;
    let message = format!("step {step} is not a multiple of {}: it has a checkpoint only if a run ended there", interval.value);
    let saved =
        if below > 0 { format!("{below} and {}", below.saturating_add(interval.value)) } else { interval.value.to_string() };
    let finding = Finding::new(message).on(resumed.fact).with(interval, format!("saved every {} steps", interval.value));
    Some(finding.help(format!("with this interval the nearest checkpoints are at step {saved}")))
}
