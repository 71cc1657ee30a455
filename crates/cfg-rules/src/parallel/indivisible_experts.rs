//! Each GPU of expert parallelism holds the same number of experts.

use cfg_diag::codes;
use cfg_schema::Behaviour;

use super::{Degrees, Experts, TRAINS, World, choice, divisors, shape};
use crate::{Check, Context, Finding, FixKind, Rule, VersionRange, catalogue};

pub(crate) static RULE: Rule = Rule {
    code: &codes::INDIVISIBLE_EXPERTS,
    kinds: TRAINS,
    versions: VersionRange::with(Behaviour::ExpertsAreSpread),
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let model = &cx.plan.trainer.as_ref()?.model;
    if model.ep.fact()?.value.int().is_some_and(|ep| ep <= 1) {
        return None;
    }
    let name = model.name.fact()?;
    let architecture = catalogue::architecture(&name.value).filter(|known| known.spreads_experts)?;
    let asks_for_it = model.implementation.text().is_none_or(|own| matches!(own, "auto" | "custom"));
    if !architecture.has_own_class(cx.target.point) || !asks_for_it {
        return None;
    }
    let degrees = Degrees::of(model)?;
    let world = World::of(cx);
    let experts = match model.ep.fact()?.value.int() {
        Some(_) => Experts::of(model, &degrees, 1)?,
        None => Experts::of(model, &degrees, world.filter(|world| !world.may_be_fewer())?.gpus)?,
    };
    let count = i64::from(shape(cx, &name.value)?.moe?.experts);
    // If the degree does not divide the number of GPUs either, another rule has reported that, with values that suit both.
    let group = world.filter(|world| !world.may_be_fewer()).and_then(|world| degrees.group(world.gpus));
    let suits = |ep: i64| ep == 1 || ep % degrees.cp() == 0 && group.is_none_or(|group| group % ep == 0);
    if experts.ep <= 1 || count % experts.ep == 0 || !suits(experts.ep) {
        return None;
    }
    let message =
        format!("{} has {count} experts, which {} GPUs can't share evenly: {}", name.value, experts.ep, experts.words());
    let shown = world.filter(|_| experts.is_auto);
    let finding = experts.show(Finding::new(message), shown.as_ref(), model);
    let finding = if experts.is_auto { finding } else { finding.with(name, format!("{count} experts")) };
    let values = divisors(count, experts.ep, suits);
    Some(finding.help(format!("set `{}` to {}", experts.fact.written_key(), choice(&values))))
}
