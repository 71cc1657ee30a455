//! The trainer's GPUs form a mesh, and each degree of parallelism is a dimension of it: their product must divide the number of GPUs.

use cfg_diag::{Severity, codes};
use cfg_plan::Fact;
use cfg_plan::budget::gpus_in_words;

use super::{Degrees, Source, TRAINS, World, choice, divisors, factors, multiples};
use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::INDIVISIBLE_GPUS,
    kinds: TRAINS,
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let world = World::of(cx).filter(|world| world.gpus > 0)?;
    let degrees = Degrees::of(&cx.plan.trainer.as_ref()?.model)?;
    let product = degrees.product();
    if world.gpus % product == 0 {
        return None;
    }
    let above_one = || degrees.above_one();
    // Prefers a written degree: the user would not change one that prime-rl computed.
    let subject = above_one().max_by_key(|degree| (degree.is_written(), degree.value))?;
    let (needs, verb) = (factors(above_one()), if above_one().count() > 1 { "need" } else { "needs" });
    let message = format!("{needs} {verb} a multiple of {}, but {}", gpus_in_words(product), world.words());
    let mut finding = Finding::new(message).on(subject).label(label(product, &degrees));
    for other in above_one().filter(|other| other.key != subject.key) {
        finding = finding.with(other, "multiplied by this");
    }
    finding = world.show(finding).help(help(subject, &degrees, &world));
    // A number of GPUs that nobody wrote follows the degree that somebody did.
    if let (Source::Count(count), Some(gpus)) = (world.source, multiples(product, world.gpus).last())
        && subject.is_written()
        && !count.is_written()
    {
        let key = count.written_key();
        finding = finding.repair(Repair::possible(format!("set `{key}` to {gpus}")).set(key, *gpus));
    }
    // It may run on fewer GPUs of the machine.
    let is_open = world.may_be_fewer() && product <= world.gpus;
    Some(if is_open { finding.severity(Severity::Warning) } else { finding })
}

fn label(product: i64, degrees: &Degrees<'_>) -> String {
    let above_one = degrees.above_one().count();
    if above_one > 1 { format!("{product} together") } else { format!("a multiple of {}", gpus_in_words(product)) }
}

/// The other values of the degree that divide the number of GPUs, and the numbers of GPUs that the current one divides.
fn help(subject: &Fact<i64>, degrees: &Degrees<'_>, world: &World<'_>) -> String {
    let product = degrees.product();
    let rest = product / subject.value;
    let order = world.order(&multiples(product, world.gpus));
    if product == i64::MAX {
        return "lower the degrees".to_owned();
    }
    if world.gpus % rest != 0 {
        return order;
    }
    let values = divisors(world.gpus / rest, subject.value, |_| true);
    format!("set `{}` to {}, or {order}", subject.written_key(), choice(&values))
}
