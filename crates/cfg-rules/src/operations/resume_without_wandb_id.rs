//! A resumed run without the id of its Weights & Biases run begins a new one there.

use cfg_diag::codes;
use cfg_plan::{Key, Wandb};
use cfg_schema::{Behaviour, Kind};

use super::resume;
use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::RESUME_WITHOUT_WANDB_ID,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Trainer, Kind::Orchestrator],
    versions: VersionRange::without(Behaviour::NoWandbId),
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let resumed = resume(cx).filter(|_| !cx.is_trial())?;
    let trainer = lacks(cx.plan.trainer.as_ref().and_then(|trainer| trainer.wandb.value()));
    let orchestrator = lacks(cx.plan.orchestrator.as_ref().and_then(|orchestrator| orchestrator.wandb.value()));
    let keys = match (trainer, orchestrator) {
        (Some(one), Some(other)) => format!("`{one}` and `{other}`"),
        (Some(one), None) | (None, Some(one)) => format!("`{one}`"),
        (None, None) => return None,
    };
    // A stage is a run of its own. This is tested last, because it reads the configs next to this one.
    if resumed.step.is_some_and(|step| cx.project.nearby.is_end_of_another(step)) {
        return None;
    }
    let message = "the resumed run starts a new Weights & Biases run: its curves do not continue the earlier ones";
    let help =
        format!("set {keys} to the id of the earlier run, the last part of its URL; for a single process WANDB_RUN_ID works too");
    Some(Finding::new(message).on(resumed.fact).help(help))
}

/// The key of the missing id.
fn lacks(wandb: Option<&Wandb>) -> Option<&Key> {
    let id = &wandb?.id;
    id.key().filter(|_| id.is_empty())
}
