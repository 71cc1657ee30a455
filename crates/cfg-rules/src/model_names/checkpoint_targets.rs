//! Selective activation checkpointing of a part that the model's layers don't have.

use cfg_diag::codes;
use cfg_memory::architecture::Architecture;
use cfg_plan::Fact;
use cfg_syntax::rewrite::Literal;

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange, catalogue, parallel};

pub(crate) static RULE: Rule = Rule {
    code: &codes::CHECKPOINT_TARGETS,
    kinds: parallel::TRAINS,
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let model = &cx.plan.trainer.as_ref()?.model;
    let checkpointing = &model.ac.fact()?.value;
    let mode = checkpointing.mode.fact().filter(|mode| &*mode.value == "selective")?;
    let (name, targets) = (model.name.fact()?, checkpointing.targets.fact()?);
    let own = catalogue::architecture(&name.value);
    let lacks_class = own.is_some_and(|own| !own.has_own_class(cx.target.point));
    if lacks_class && model.implementation.is("auto") {
        return Some(without_class(name, mode));
    }
    let shape = parallel::shape(cx, &name.value)?;
    // How a mixture of experts names its parts is only known of the trainer's own classes.
    let has_known_experts = own.is_some_and(|own| own.spreads_experts && own.has_own_class(cx.target.point));
    let missing = |target: &str| missing(target, &shape, has_known_experts);
    let (target, what) = targets.value.iter().find_map(|target| Some((target, missing(target)?)))?;
    let message = format!("{}, {what}, has no \"{target}\" in its layers: the trainer stops with a ValueError", name.value);
    let rest: Vec<&str> = targets.value.iter().map(|target| &**target).filter(|target| missing(target).is_none()).collect();
    let key = targets.written_key();
    let finding = Finding::new(message).on(targets).with(name, "the model");
    if rest.is_empty() {
        let mode = mode.written_key();
        let title = format!("set `{mode}` to \"full\"");
        let repair = Repair::possible(&*title).set(mode, "full").remove(key);
        return Some(finding.help(format!("{title}, or write another target")).repair(repair));
    }
    let title = format!("remove \"{target}\" from `{key}`");
    Some(finding.help(&*title).repair(Repair::possible(title).set(key, Literal::strings(rest))))
}

/// The finding for a model whose layers are transformers' own.
fn without_class(name: &Fact<Box<str>>, mode: &Fact<Box<str>>) -> Finding {
    let key = mode.written_key();
    let message = format!(
        "`{key}` is \"selective\", but the trainer has no custom implementation of {}, and only those have parts to \
         select: it stops with a ValueError",
        name.value
    );
    let title = format!("set `{key}` to \"full\"");
    Finding::new(message).on(mode).with(name, "the model").help(&*title).repair(Repair::possible(title).set(key, "full"))
}

/// Why no layer of a model has a part; `None` if one may have it.
fn missing(target: &str, shape: &Architecture, has_known_experts: bool) -> Option<&'static str> {
    match (target, &shape.moe) {
        ("routed_experts", None) => Some("which is a dense model"),
        ("mlp", Some(moe)) if has_known_experts && moe.dense_layers == 0 && shape.mlp_layers.is_none() => {
            Some("which has experts in each of them")
        }
        ("mla_up_proj", _) if shape.mla.is_none() => Some("which has no latent attention"),
        ("linear_attn", _) if shape.recurrent.is_none() && shape.window.is_none() => {
            Some("which has full attention in each of them")
        }
        _ => None,
    }
}
