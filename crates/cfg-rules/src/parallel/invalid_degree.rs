//! A degree of parallelism below 1. The config class accepts any integer; `ParallelDims` does not.

use cfg_diag::codes;
use cfg_plan::Fact;
use cfg_schema::Kind;

use super::TRAINS;
use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::INVALID_DEGREE,
    kinds: TRAINS,
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let Some(trainer) = &cx.plan.trainer else { return Vec::new() };
    let model = &trainer.model;
    // The launcher divides by two of the degrees, so prime-rl itself reports a 0 there.
    let is_said = |degree: i64| degree == 0 && cx.kind == Kind::Rl && !cx.plan.is_valid;
    let ints = [&model.cp, &model.tp, &model.dp_replicate].into_iter().filter_map(|degree| degree.fact());
    let found = ints.filter(|degree| degree.value < 1 && !is_said(degree.value)).map(|degree| finding(degree, degree.value));
    let ep = model.ep.fact().and_then(|ep| Some((ep, ep.value.int().filter(|ep| *ep < 1)?)));
    found.chain(ep.map(|(fact, ep)| finding(fact, ep))).collect()
}

fn finding<T>(fact: &Fact<T>, value: i64) -> Finding {
    let message = format!("`{}` is {value}: the trainer refuses a degree of parallelism below 1", fact.written_key());
    Finding::new(message).on(fact).help("1 turns it off")
}
