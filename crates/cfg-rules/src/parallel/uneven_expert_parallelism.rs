//! Expert parallelism uses the GPUs of context parallelism and of some FSDP ranks: the degree must be a multiple of the former, and divide both
//! together.

use cfg_diag::{Severity, codes};
use cfg_plan::TrainerModel;

use super::{AUTO, Degrees, Experts, TRAINS, World, choice, divisors, multiples, shape, short};
use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::UNEVEN_EXPERT_PARALLELISM,
    kinds: TRAINS,
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let model = &cx.plan.trainer.as_ref()?.model;
    let degrees = Degrees::of(model)?;
    let world = World::of(cx);
    let cp = degrees.cp();
    // If the number of GPUs is unknown, only what applies to any number is checked.
    let Some((world, group)) = world.and_then(|world| Some((world, degrees.group(world.gpus)?))) else {
        let fact = model.ep.fact()?;
        let ep = fact.value.int().filter(|ep| *ep > 1 && ep % cp != 0)?;
        let experts = Experts { ep, fact, is_auto: false };
        let mut values = multiples(cp, ep);
        values.insert(0, 1);
        let order = format!("set `{}` to {}", fact.written_key(), choice(&values));
        return Some(not_of_context(&experts, None, &degrees, model).help(order));
    };
    let experts = Experts::of(model, &degrees, world.gpus)?;
    if experts.is_auto && experts.ep == 1 {
        return without_experts_to_send(&experts, model, &world);
    }
    if experts.ep <= 1 {
        return None;
    }
    let finding = if experts.ep % cp != 0 {
        not_of_context(&experts, Some(&world), &degrees, model)
    } else if group % experts.ep != 0 {
        let whole = if group == world.gpus { String::new() } else { format!(", {group} of them in a replica") };
        let message = format!(
            "{}, and {} does not divide the number of trainer GPUs: \
                {}{whole}",
            experts.words(),
            experts.ep,
            world.words()
        );
        experts.show(Finding::new(message), Some(&world), model)
    } else {
        return None;
    };
    let known = model.name.fact().and_then(|name| shape(cx, &name.value)).and_then(|shape| Some(i64::from(shape.moe?.experts)));
    let fits = |ep: i64| ep == 1 || ep % cp == 0 && known.is_none_or(|experts| experts % ep == 0);
    let values = divisors(group, experts.ep, fits);
    let mut help = format!("set `{}` to {}", experts.fact.written_key(), choice(&values));
    if experts.is_auto && experts.ep % cp == 0 {
        let groups: Vec<i64> =
            multiples(AUTO, group).into_iter().filter_map(|group| group.checked_mul(world.gpus / group)).collect();
        help = format!("{help}, or {}", world.order(&groups));
    }
    // What is written comes before a default.
    if world.is_default() && experts.fact.is_written() && experts.ep % cp == 0 && group == world.gpus {
        help = format!("{}, or {help}", world.order(&multiples(experts.ep, world.gpus)));
    }
    let finding = finding.help(help);
    let is_open = world.may_be_fewer() && (experts.is_auto || experts.ep <= world.gpus);
    Some(if is_open { finding.severity(Severity::Warning) } else { finding })
}

/// Checks that the degree is a multiple of context parallelism, whose GPUs are part of expert parallelism.
fn not_of_context(experts: &Experts<'_>, world: Option<&World<'_>>, degrees: &Degrees<'_>, model: &TrainerModel) -> Finding {
    let (key, cp) = degrees.cp.map_or(("cp", 1), |cp| (short(cp.written_key()), cp.value));
    let message = format!("{}, and {} is not a multiple of `{key}`, which is {cp}", experts.words(), experts.ep);
    // The number of GPUs matters only if the degree is computed from it.
    let finding = experts.show(Finding::new(message), world.filter(|_| experts.is_auto), model);
    match degrees.cp {
        Some(fact) => finding.with(fact, format!("{cp} here")),
        None => finding,
    }
}

/// Reports a backend other than `torch` if "auto" results in a degree of 1.
fn without_experts_to_send(experts: &Experts<'_>, model: &TrainerModel, world: &World<'_>) -> Option<Finding> {
    let backend = model.ep_comm_backend.fact().filter(|backend| &*backend.value != "torch")?;
    // A model without experts needs no backend.
    let is_mixture = crate::catalogue::architecture(&model.name.fact()?.value)?.auto_ep;
    let is_own = model.implementation.text().is_none_or(|own| matches!(own, "auto" | "custom"));
    if !is_mixture || !is_own {
        return None;
    }
    let message = format!(
        "`{}` is \"{}\", which sends tokens between GPUs, but {}: {}",
        backend.written_key(),
        backend.value,
        experts.words(),
        world.words()
    );
    let finding = world.show(Finding::new(message).on(backend).label("needs `ep` above 1"));
    Some(finding.help(format!("set `{}` to \"torch\", or train on more GPUs", backend.written_key())))
}
