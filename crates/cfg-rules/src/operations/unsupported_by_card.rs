//! Settings and models that need a newer card, an older one, or other links than the stated machine has.

use cfg_diag::{Location, Severity, codes};
use cfg_memory::{
    catalogue::{self, Links, Traits},
    hardware::HardwareError,
};
use cfg_resolve::{Resolved, ResolvedValue};
use cfg_schema::{Effect, Kind, Need, Part};

use crate::{Check, Context, Finding, FixKind, MachineSource, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::UNSUPPORTED_BY_CARD,
    kinds: &[Kind::Rl, Kind::Trainer, Kind::Sft, Kind::Inference],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

/// The stated card.
struct Card {
    name: String,
    traits: Traits,
    count: u32,
    by: MachineSource,
}

/// The value of a key that has a need.
struct Found {
    path: String,
    value: String,
    location: Option<Location>,
    model: Option<Location>,
}

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let Some(card) = card(cx) else { return without_cuda(cx).into_iter().collect() };
    let mut found: Vec<Finding> = Vec::new();
    let mut told: Vec<String> = Vec::new();
    for need in Need::at(cx.target.point) {
        // NVLink matters only between cards.
        let has_nvlink = card.traits.links == Links::NvLink || card.count == 1;
        if need.is_met(card.traits.compute, has_nvlink) {
            continue;
        }
        // What a model needs takes precedence over what its attention needs, whichever is written.
        for value in need.of.iter().filter_map(|part| value_of(cx, need, *part)) {
            if need.model.is_empty() && told.contains(&value.path) {
                continue;
            }
            told.push(value.path.clone());
            found.push(finding(need, &card, &value));
        }
    }
    found
}

/// The finding for a card without a compute capability, which is none of CUDA.
fn without_cuda(cx: &Context<'_>) -> Option<Finding> {
    let (machine, by) = cx.project.machine(cx.metadata)?;
    let gpu = &machine.as_ref().ok()?.gpu;
    let lacks = gpu.lacks.filter(|_| gpu.traits().is_none())?;
    let finding = Finding::new(format!("the {} lacks {lacks}", gpu.name)).help("choose a card with CUDA; `cfg gpu` has them");
    Some(by_source(finding, by, Effect::Fails))
}

/// A finding with the place of the machine, and the severity that follows from who stated it.
fn by_source(mut finding: Finding, by: MachineSource, effect: Effect) -> Finding {
    if let MachineSource::Config(place) = by {
        finding = finding.related(place, "this card");
    }
    let is_certain = effect == Effect::Fails && !matches!(by, MachineSource::Registry | MachineSource::Settings);
    finding.severity(if is_certain { Severity::Error } else { Severity::Warning })
}

/// The card of the machine that the config is for, if it is known what it can compute. Sizes of one card compute the same.
fn card(cx: &Context<'_>) -> Option<Card> {
    let (machine, by) = cx.project.machine(cx.metadata)?;
    let (name, traits, count) = match machine {
        Ok(machine) => (machine.gpu.name.to_string(), machine.gpu.traits()?, machine.count),
        Err(HardwareError::Ambiguous { name, choices }) => {
            let mut traits = choices.iter().map(|choice| catalogue::gpus().iter().find(|gpu| *gpu.name == **choice)?.traits());
            let first = traits.next()??;
            if !traits.all(|other| other.is_some_and(|other| other.compute == first.compute && other.links == first.links)) {
                return None;
            }
            (name, first, 0)
        }
        Err(_) => return None,
    };
    Some(Card { name, traits, count, by })
}

/// The value of a need's key in one of its tables, if it has the need.
fn value_of(cx: &Context<'_>, need: &Need, part: Part) -> Option<Found> {
    let path = |key: &str| match part.path_in(cx.kind)? {
        table if table.is_empty() => Some(key.to_owned()),
        table => Some(format!("{table}.{key}")),
    };
    let path_of = |key: &&&str| path(key).filter(|path| cx.view.exists(path));
    let key = need.keys.iter().find_map(|key| path_of(&key))?;
    let value = text(cx.view.get(&key)?)?;
    let model = path("model.name").or_else(|| path("name"))?;
    let name = cx.view.str(&model).unwrap_or_default();
    let of_model = (!need.model.is_empty()).then(|| cx.view.location(&model)).flatten();
    need.is_of(&value, name).then(|| Found { location: cx.view.location(&key), model: of_model, path: key, value })
}

/// A value as the table of needs has it; `None` if it is unknown or unset.
fn text(resolved: &Resolved) -> Option<String> {
    match &resolved.value {
        ResolvedValue::Bool(value) => Some(value.to_string()),
        ResolvedValue::Str(text) => Some(text.to_string()),
        ResolvedValue::Table(_) => resolved.value.tag().map(str::to_owned),
        _ => None,
    }
}

fn finding(need: &Need, card: &Card, found: &Found) -> Finding {
    let Found { path, value, location, model } = found;
    let (major, minor) = card.traits.compute;
    let by_default = if location.is_some() { "" } else { ", the default," };
    let message = format!(
        "{} (`{path}`{by_default} is {value}) needs {}, but the {} is SM {major}{minor} with {}",
        need.says,
        need.cards,
        card.name,
        card.traits.links.name()
    );
    let mut finding = Finding::new(message).key(path.clone()).help(need.instead);
    for (place, said) in [(*model, "this model"), (*location, "set here")] {
        if let Some(place) = place {
            finding = finding.related(place, said);
        }
    }
    by_source(finding, card.by, need.effect)
}
