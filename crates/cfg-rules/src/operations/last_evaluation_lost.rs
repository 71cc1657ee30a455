//! An evaluation of the last step that may be lost because the run ends while it is in progress.

use cfg_diag::codes;
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::LAST_EVALUATION_LOST,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::with(Behaviour::BufferGone),
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let why = why(cx)?;
    let steps = cx.plan.orchestrator.as_ref()?.max_steps.fact().filter(|steps| steps.value > 0)?;
    if cx.is_trial() {
        return None;
    }
    let is_last = |interval: i64| interval > 0 && steps.value % interval == 0;
    let interval = cx
        .plan
        .eval_environments()
        .find_map(|environment| environment.interval.fact().filter(|interval| is_last(interval.value)))?;
    let message = format!("the evaluation after step {} may be lost: {why}", steps.value);
    let finding = Finding::new(message).on(interval).with(steps, "the run ends here");
    Some(finding.help("evaluate the last checkpoint separately if its result is missing"))
}

/// Why the run may end before the evaluation has finished.
fn why(cx: &Context<'_>) -> Option<&'static str> {
    let is_on_nodes = cx.plan.run.slurm.fact().is_some() && cx.plan.run.gpus.deployment.text() == Some("multi_node");
    if cx.plan.point.lacks(Behaviour::LastEvaluationIsAwaited) {
        Some("this prime-rl may end, or wait forever, before all rollouts of the evaluation have started")
    } else if is_on_nodes && cx.kind == Kind::Rl {
        Some("the job's script stops the orchestrator as soon as the trainer has finished")
    } else {
        None
    }
}
