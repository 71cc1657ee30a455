//! Evaluation at an interval that the run does not reach: the trained model is never evaluated.

use cfg_diag::{Severity, codes};
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::NO_EVALUATION_OF_RESULT,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    // At earlier versions every run ended with an evaluation.
    versions: VersionRange::with(Behaviour::BufferGone),
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let orchestrator = cx.plan.orchestrator.as_ref()?;
    let steps = orchestrator.max_steps.fact().filter(|steps| steps.value > 0)?;
    let eval = orchestrator.eval.value()?;
    if cx.is_trial() || !eval.skip_first_step.is_known() {
        return None;
    }
    let intervals: Option<Vec<_>> = cx.plan.eval_environments().map(|environment| environment.interval.fact()).collect();
    let least = intervals?.into_iter().min_by_key(|interval| interval.value)?;
    if least.value <= steps.value {
        return None;
    }
    let by_default = if least.is_written() { "" } else { " by default" };
    let is_never = eval.skip_first_step.is_on();
    let what = if is_never { "nothing is ever evaluated" } else { "only the model before training is evaluated" };
    let message =
        format!("evaluation runs every {} steps{by_default}, but the run ends after {}: {what}", least.value, steps.value);
    let finding = Finding::new(message).on(least).with(steps, format!("{} steps", steps.value)).help(format!(
        "set `{}` to {} or less",
        least.written_key(),
        steps.value
    ));
    // If the interval is not written, the user may want only a value from before training to compare with.
    Some(if is_never || least.is_written() { finding } else { finding.severity(Severity::Info) })
}
