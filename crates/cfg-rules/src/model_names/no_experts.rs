//! Settings for the experts of a model that has none: the trainer looks for a router, or for the experts of each token, and stops.

use std::borrow::Cow;

use cfg_diag::codes;
use cfg_memory::architecture::Architecture;
use cfg_plan::Setting;

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange, catalogue, parallel};

pub(crate) static RULE: Rule = Rule {
    code: &codes::NO_EXPERTS,
    kinds: parallel::TRAINS,
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let Some(trainer) = cx.plan.trainer.as_deref() else { return Vec::new() };
    let model = &trainer.model;
    let settings: [(&Setting<bool>, &str); 3] = [
        (&model.freeze_moe_router, "the trainer finds no router to freeze, and stops with a ValueError"),
        (&model.force_balanced_routing, "the trainer finds no router to balance, and stops with a ValueError"),
        (&trainer.enable_router_replay, "no rollout has the experts of its tokens, and the trainer stops with a ValueError"),
    ];
    let set: Vec<_> = settings.into_iter().filter(|(setting, _)| setting.is_on() && setting.is_written()).collect();
    let Some(name) = model.name.fact().filter(|_| !set.is_empty()) else { return Vec::new() };
    if !is_dense(cx, &name.value) {
        return Vec::new();
    }
    let finding = |(setting, what): (&Setting<bool>, &str)| {
        let fact = setting.fact()?;
        let key = fact.written_key();
        let message = format!("`{key}` is for a mixture of experts, but {} is a dense model: {what}", name.value);
        let repair = Repair::possible(format!("remove `{key}`")).remove(key);
        let finding = Finding::new(message).on(fact).with(name, "a model without experts");
        Some(finding.help(format!("remove `{key}`, or train a mixture of experts")).repair(repair))
    };
    set.into_iter().filter_map(finding).collect()
}

/// Whether a model is known to have no experts.
pub(crate) fn is_dense(cx: &Context<'_>, name: &str) -> bool {
    let by_family = || catalogue::architecture(name).is_some_and(|architecture| architecture.dense);
    let shape: Option<Cow<'_, Architecture>> = parallel::shape(cx, name);
    shape.map_or_else(by_family, |shape| shape.moe.is_none())
}
