//! A last step below the first one is not "no limit": what happens depends on how the processes compare it with their steps.

use cfg_diag::codes;
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::NO_STEPS,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Trainer, Kind::Orchestrator],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let of_trainer = cx.plan.trainer.as_ref().map(|trainer| &trainer.max_steps);
    let of_orchestrator = || cx.plan.orchestrator.as_ref().map(|orchestrator| &orchestrator.max_steps);
    let last = of_trainer.or_else(of_orchestrator)?.fact().filter(|last| last.value < 1)?;
    // 0 was no limit for an orchestrator, but for the trainer.
    if cx.kind == Kind::Orchestrator && last.value == 0 && cx.target.point.lacks(Behaviour::ZeroIsALastStep) {
        return None;
    }
    let what = effect(cx);
    let key = last.written_key();
    let finding = Finding::new(format!("`{}` is {}, below the first step: {what}", key.name(), last.value)).on(last);
    Some(finding.help(format!("write the number of steps to train, or remove `{key}` for an endless run")))
}

/// What a run does whose last step is below its first one.
fn effect(cx: &Context<'_>) -> &'static str {
    let has = |behaviour| cx.target.point.has(behaviour);
    match cx.kind {
        Kind::Sft if has(Behaviour::SftStopsBeyondItsEnd) => "the run ends after one step",
        Kind::Sft | Kind::Trainer if has(Behaviour::StepsFromOne) => {
            "the trainer never stops, since it only stops right after that step"
        }
        Kind::Rl if has(Behaviour::StepsFromOne) => "the trainer waits forever for a batch that the orchestrator never sends",
        _ => "nothing is trained",
    }
}
