//! A validation whose interval is longer than the run.

use cfg_diag::codes;
use cfg_resolve::ResolvedValue;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::VALIDATION_NEVER_RUNS,
    kinds: &[Kind::Sft],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let steps = cx.plan.trainer.as_ref()?.max_steps.fact()?;
    let interval = cx.view.int("val.interval").filter(|interval| *interval > steps.value)?;
    if cx.plan.trainer.as_ref()?.bench.is_on() {
        return None;
    }
    let starts = cx.view.get("val.eval_on_start").is_some_and(|value| matches!(value.value, ResolvedValue::Bool(true)));
    let when = if starts { "runs only before the first step" } else { "never runs" };
    let by_default = if cx.view.location("val.interval").is_some() { "" } else { ", the default" };
    let message =
        format!("the validation {when}: `val.interval` is {interval}{by_default}, but the run has {} steps", steps.value);
    let finding = Finding::new(message).key("val.interval").with(steps, "the run ends here");
    let finding = finding.at_place(cx.view.location("val.interval").or_else(|| cx.view.location("val")));
    Some(finding.help(format!("write an `interval` of at most {}, such as {}", steps.value, (steps.value / 2).max(1))))
}
