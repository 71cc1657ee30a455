//! A trained adapter must be served: by a server that loads adapters, with at least its rank, and under a requested name.

use cfg_diag::codes;
use cfg_plan::{Fact, Inference, Lora, Orchestrator};
use cfg_schema::Behaviour;

use super::{PARTS, between, inference, orchestrator, trainer};
use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::ADAPTER_NOT_SERVED,
    kinds: &PARTS,
    versions: VersionRange::with(Behaviour::AdaptersAreServed),
    fix: FixKind::None,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let Some(trainer) = trainer(cx) else { return Vec::new() };
    let (orchestrator, inference) = (orchestrator(cx), inference(cx));
    let Some(adapters) = trainer.model.lora.fact() else {
        let asked = || not_trained(orchestrator?);
        return asked().filter(|_| trainer.model.lora.is_empty()).into_iter().collect();
    };
    let unnamed = orchestrator.and_then(|orchestrator| unnamed(adapters, orchestrator));
    let off = inference.and_then(|inference| off(adapters, inference));
    let rank = inference.and_then(|inference| rank(adapters, inference));
    unnamed.into_iter().chain(off).chain(rank).collect()
}

/// Reports an orchestrator that requests the base model.
fn unnamed(adapters: &Fact<Lora>, orchestrator: &Orchestrator) -> Option<Finding> {
    let name = &orchestrator.model.lora_name;
    // A table of the adapter without a name is reported when that file is checked alone.
    let has_table = orchestrator.model.lora_rank.is_written() || orchestrator.model.lora_alpha.is_written();
    let key = name.key().filter(|_| name.is_empty() && !has_table)?;
    let message =
        format!("the trainer trains an adapter, but the orchestrator's config has no `{key}`: it requests the base model");
    let help = format!(
        "set `{key}` in the orchestrator's config to any name; otherwise no rollout comes from the trained \
        adapter"
    );
    Some(Finding::new(message).on(adapters).label("an adapter here").help(help))
}

/// Reports a server that loads no adapters.
fn off(adapters: &Fact<Lora>, inference: &Inference) -> Option<Finding> {
    let enabled = inference.enable_lora.fact().filter(|enabled| !enabled.value)?;
    let key = &enabled.key;
    let message = format!("the trainer trains an adapter, but the inference server loads none: its `{key}` is off");
    let help = format!("set `{key} = true` in the inference server's config; without it vLLM can't load an adapter");
    Some(Finding::new(message).on(adapters).label("an adapter here").with(enabled, "off here").help(help))
}

/// Reports an adapter with a larger rank than the server supports.
fn rank(adapters: &Fact<Lora>, inference: &Inference) -> Option<Finding> {
    let (trained, room) = (adapters.value.rank.fact()?, inference.max_lora_rank.fact()?);
    if trained.value <= room.value || inference.enable_lora.is_off() {
        return None;
    }
    let message = format!("the adapter has rank {}, but the inference server accepts at most {}", trained.value, room.value);
    let help = format!("vLLM refuses to load it: set `{}` of the inference server to {} at least", room.key, trained.value);
    let (trained, room) = (&adapters.value.rank, &inference.max_lora_rank);
    Some(between(message, ("trained here", trained), ("limited here", room)).help(help))
}

/// Reports an orchestrator that requests an adapter although the trainer trains none.
fn not_trained(orchestrator: &Orchestrator) -> Option<Finding> {
    let name = orchestrator.model.lora_name.fact().filter(|name| name.is_written())?;
    let message = format!("the orchestrator requests the adapter `{}`, but the trainer trains none", name.value);
    Some(
        Finding::new(message)
            .on(name)
            .help("add the adapter's table to the trainer's config, or remove the name from the orchestrator's"),
    )
}
