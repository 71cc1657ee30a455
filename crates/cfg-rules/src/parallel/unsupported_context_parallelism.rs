//! Context parallelism that the trainer refuses: for RL at early versions, and later for models for which it has no class of its own, or as a ring
//! for those with layers that are no attention.

use cfg_diag::codes;
use cfg_memory::architecture::RecurrentKind;
use cfg_plan::{Fact, TrainerModel};
use cfg_schema::{Behaviour, Kind};

use super::TRAINS;
use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange, catalogue};

pub(crate) static RULE: Rule = Rule {
    code: &codes::UNSUPPORTED_CONTEXT_PARALLELISM,
    kinds: TRAINS,
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
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
    let of_class = if point.has(Behaviour::ContextParallelismNeedsOwnClass) { without_own_class(cx, model, cp) } else { None };
    of_class.or_else(|| ring_without_attention(cx, model, cp))
}

/// Names whose classes, also those of transformers, say of each layer whether it is linear attention.
const TELLING: &str = "Qwen/";

/// A ring passes on keys and values, which linear attention and Mamba don't have.
fn ring_without_attention(cx: &Context<'_>, model: &TrainerModel, cp: &Fact<i64>) -> Option<Finding> {
    let style = model.cp_style.fact().filter(|style| &*style.value == "ring")?;
    if !(model.implementation.is("auto") || model.implementation.is("custom")) {
        return None;
    }
    let name = model.name.fact()?;
    let (what, is_found) = match super::shape(cx, &name.value)?.recurrent?.kind {
        RecurrentKind::Delta { .. } => ("linear attention", name.value.starts_with(TELLING)),
        RecurrentKind::Mamba { .. } => ("Mamba", true),
        RecurrentKind::Convolution => return None,
    };
    // Since each class has to be the trainer's own, those without are refused in any case.
    if !is_found && cx.target.point.lacks(Behaviour::ContextParallelismNeedsOwnClass) {
        return None;
    }
    let key = style.written_key();
    let by_default = if style.is_written() { "" } else { ", its default" };
    let message = format!(
        "`{}` is {} and `{key}` is \"ring\"{by_default}, but some layers of {} are {what}, which a ring can't split: the trainer \
         stops with a ValueError",
        cp.written_key(),
        cp.value,
        name.value
    );
    let finding = Finding::new(message).on(cp).label(format!("{} GPUs for a sequence", cp.value)).with(style, "by a ring here");
    let title = format!("set `{key}` to \"ulysses\"");
    let repair = Repair::possible(&*title).set(key, "ulysses");
    Some(finding.with(name, "the model").help(format!("{title}, or `{}` to 1", cp.written_key())).repair(repair))
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
