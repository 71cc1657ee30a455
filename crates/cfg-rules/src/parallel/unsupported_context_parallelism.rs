//! Context parallelism that the trainer refuses: for RL at early versions, and later for models for which it has no class of its own.

use cfg_diag::codes;
use cfg_plan::{Fact, TrainerModel};
use cfg_schema::{Behaviour, Kind};

use super::TRAINS;
use crate::{Check, Context, Finding, FixKind, Rule, VersionRange, catalogue};

pub(crate) static RULE: Rule = Rule {
    code: &codes::UNSUPPORTED_CONTEXT_PARALLELISM,
    kinds: TRAINS,
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let model = &cx.plan.trainer.as_ref()?.model;
    let cp = model.cp.fact().filter(|cp| cp.value > 1)?;
    let point = cx.target.point;
    if point.lacks(Behaviour::RlContextParallelism) && cx.kind != Kind::Sft {
        let message =
            format!("`{}` is {}: the RL trainer of this version refuses context parallelism", cp.written_key(), cp.value);
        let help = format!("set `{}` to 1, or use a prime-rl of 2025-12-16 or later", cp.written_key());
        return Some(Finding::new(message).on(cp).help(help));
    }
    if point.has(Behaviour::ContextParallelismNeedsOwnClass) { without_own_class(cx, model, cp) } else { None }
}

fn without_own_class(cx: &Context<'_>, model: &TrainerModel, cp: &Fact<i64>) -> Option<Finding> {
    if !model.implementation.is("auto") {
        return None;
    }
    let name = model.name.fact()?;
    let architecture = catalogue::architecture(&name.value)?;
    if architecture.has_own_class(cx.target.point) {
        return None;
    }
    let message = format!(
        "`{}` is {}, but the trainer has no custom implementation of {}, whose architecture is {}: it refuses to split its \
         sequences",
        cp.written_key(),
        cp.value,
        name.value,
        architecture.name
    );
    let finding = Finding::new(message).on(cp).label(format!("{} GPUs for a sequence", cp.value)).with(name, "the model");
    Some(finding.help(format!("set `{}` to 1, or use a model with a custom implementation", cp.written_key())))
}
