//! At temperature 0 every rollout of a problem is the same, and the trainer divides its logits by 0.

use cfg_diag::codes;
use cfg_plan::Fact;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::ZERO_TEMPERATURE,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let zero = |fact: &&Fact<f64>| fact.value == 0.0;
    let of_all = cx.plan.orchestrator.as_ref().and_then(|orchestrator| orchestrator.sampling.temperature.fact()).filter(zero);
    let of_each = cx.plan.train_environments().filter_map(|environment| environment.temperature.fact());
    // A value that prime-rl copied is checked where it is written.
    let own = of_each.filter(|fact| fact.shared.is_none() && fact.origin.location().is_some()).filter(zero);
    let group = cx.plan.orchestrator.as_ref().and_then(|orchestrator| orchestrator.batch.group_size.fact());
    of_all.into_iter().chain(own).map(|temperature| finding(temperature, group)).collect()
}

fn finding(temperature: &Fact<f64>, group: Option<&Fact<i64>>) -> Finding {
    let group = group.filter(|group| group.value > 1);
    let same = group.map_or("a problem always gets the same answer".to_owned(), |group| {
        format!("the {} rollouts of a problem are all the same", group.value)
    });
    let message = format!("at temperature 0 {same}, and the trainer divides its logits by 0: nothing is learned");
    let repair = Repair::possible("set it to 1.0").set(temperature.written_key(), 1.0);
    let finding =
        Finding::new(message).on(temperature).help("sample with a temperature above 0; 1.0 is the default").repair(repair);
    match group {
        Some(group) => finding.with(group, format!("{} times the same", group.value)),
        None => finding,
    }
}
