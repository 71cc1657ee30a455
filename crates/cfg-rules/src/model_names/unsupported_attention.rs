//! An attention kernel that only the trainer's own classes have, for a model without such a class. `attn = "auto"` is such a kernel on some cards.

use cfg_diag::{Location, Severity, codes};
use cfg_memory::catalogue::Traits;
use cfg_plan::Fact;
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, MachineSource, Repair, Rule, VersionRange, catalogue};

pub(crate) static RULE: Rule = Rule {
    code: &codes::UNSUPPORTED_ATTENTION,
    kinds: &[Kind::Rl, Kind::Trainer, Kind::Sft],
    versions: VersionRange::with(Behaviour::AutoAttention),
    fix: FixKind::Mixed,
    check: Check::Once(check),
};

/// The kernels that transformers' classes are refused with.
const OWN: [&str; 2] = ["flash_attention_3", "flash_attention_4"];

/// The kernel that every class of every card from Ampere on has.
const COMMON: &str = "flash_attention_2";

fn check(cx: &Context<'_>) -> Option<Finding> {
    let model = &cx.plan.trainer.as_ref()?.model;
    let (name, attn) = (model.name.fact()?, model.attn.fact()?);
    // prime-rl itself refuses the other implementations, or another rule does.
    if !model.implementation.is("auto") {
        return None;
    }
    let architecture = catalogue::architecture(&name.value)?;
    if architecture.has_own_class(cx.target.point) {
        return None;
    }
    let (selected, card) = selected(cx, attn)?;
    let is_refused = format!(
        "the trainer stops with a ValueError, since it has no custom implementation of {} (architecture {})",
        name.value, architecture.name
    );
    let key = attn.written_key();
    let by_default = if attn.is_written() { "" } else { " by default" };
    let message = match &card {
        Some(card) => format!("`{key}` is \"auto\"{by_default}, on the {} \"{selected}\": {is_refused}", card.name),
        None => format!("`{key}` is \"{selected}\": {is_refused}"),
    };
    let title = format!("set `{key}` to \"{COMMON}\"");
    // On each card, "auto" is the newest kernel that it has: the next one is what remains of it.
    let repair = if card.is_some() { Repair::safe(&*title) } else { Repair::possible(&*title) };
    let mut finding = Finding::new(message).on(attn).with(name, "the model").help(&*title).repair(repair.set(key, COMMON));
    if let Some(card) = card {
        finding = finding.severity(card.severity);
        if let Some(place) = card.place {
            finding = finding.related(place, "this card");
        }
    }
    Some(finding)
}

/// The stated card, as far as it decides.
struct Card {
    name: String,
    place: Option<Location>,
    severity: Severity,
}

/// The kernel that is used, if only own classes have it, and the card that decides that.
fn selected<'a>(cx: &Context<'_>, attn: &'a Fact<Box<str>>) -> Option<(&'a str, Option<Card>)> {
    if OWN.contains(&&*attn.value) {
        return Some((&attn.value, None));
    }
    if &*attn.value != "auto" {
        return None;
    }
    let (machine, by) = cx.project.machine(cx.metadata)?;
    let gpu = machine.ok()?.gpu;
    let selected = of_card(gpu.traits()?)?;
    let place = if let MachineSource::Config(place) = by { Some(place) } else { None };
    // What the settings and the registry state is not said of this config.
    let is_of_config = !matches!(by, MachineSource::Registry | MachineSource::Settings);
    let severity = if is_of_config { Severity::Error } else { Severity::Warning };
    Some((selected, Some(Card { name: gpu.name.to_string(), place, severity })))
}

/// The kernel that `resolve_auto_attn` selects, if only own classes have it.
fn of_card(card: Traits) -> Option<&'static str> {
    match card.compute {
        (9, _) => Some("flash_attention_3"),
        (10, 0) => Some("flash_attention_4"),
        _ => None,
    }
}
