//! The training set is limited to a number of problems for a quick evaluation: the run uses each problem many times.

use cfg_diag::codes;
use cfg_plan::Role;
use cfg_schema::Kind;

use super::{at_arg, name};
use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange, declared::Meaning};

/// The number of passes over the same problems beyond which a run memorizes them instead of learning the task.
const PASSES: i64 = 10;

pub(crate) static RULE: Rule = Rule {
    code: &codes::FEW_EXAMPLES,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let Some(orchestrator) = &cx.plan.orchestrator else { return Vec::new() };
    let Some((problems, steps)) = orchestrator.batch.problems().zip(orchestrator.max_steps.fact()) else { return Vec::new() };
    // It is not considered how several environments share a batch.
    if cx.plan.train_environments().count() != 1 {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (environment, declared) in cx.environments.each(cx.plan).filter(|(environment, _)| environment.role == Role::Train) {
        let arg = declared.meaning(Meaning::Examples).and_then(|known| environment.arg(&known.name));
        let Some((arg, number)) = arg.and_then(|arg| Some((arg, arg.value.value.as_int().filter(|&number| number > 0)?))) else {
            continue;
        };
        let needed = problems.saturating_mul(steps.value);
        if needed <= number.saturating_mul(PASSES) {
            continue;
        }
        let message = format!(
            "`{}` leaves {number} problems of {} to train on, and {} steps of {problems} need {needed}: each is used {} times",
            arg.name,
            name(environment),
            steps.value,
            needed / number
        );
        let repair = Repair::possible(format!("remove `{}`", arg.name)).remove(&arg.key());
        let finding = at_arg(Finding::new(message), arg).with(steps, format!("{} steps", steps.value)).repair(repair);
        findings.push(finding.help("remove it to train on all problems of the split"));
    }
    findings
}
