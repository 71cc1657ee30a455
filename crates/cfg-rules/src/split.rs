//! Files of one run that are started one by one: nobody compares them, as `rl` does with what is in one file.

use cfg_plan::{Fact, Inference, Orchestrator, Setting, Trainer};
use cfg_schema::Kind;

use crate::{Context, Finding};

pub(crate) mod adapter_not_served;
pub(crate) mod address_mismatch;
pub(crate) mod broadcast_mismatch;
pub(crate) mod folder_mismatch;
pub(crate) mod model_mismatch;
pub(crate) mod shorter_training_sequence;
pub(crate) mod steps_mismatch;

/// The kinds of config that are a part of such a run.
pub const PARTS: [Kind; 3] = [Kind::Trainer, Kind::Orchestrator, Kind::Inference];

fn trainer<'a>(cx: &Context<'a>) -> Option<&'a Trainer> {
    cx.plan.trainer.as_deref().filter(|_| cx.plan.is_split())
}

fn orchestrator<'a>(cx: &Context<'a>) -> Option<&'a Orchestrator> {
    cx.plan.orchestrator.as_deref().filter(|_| cx.plan.is_split())
}

fn inference<'a>(cx: &Context<'a>) -> Option<&'a Inference> {
    cx.plan.inference.as_deref().filter(|_| cx.plan.is_split())
}

/// Whether one trainer takes part in several runs, each with an orchestrator of its own: then it outlives each of them.
fn serves_several(trainer: &Trainer) -> bool {
    trainer.max_concurrent_runs.get().is_some_and(|runs| runs > 1)
}

/// A finding about two settings of two files: at the first that is written, with the other beside it.
fn between<T, U>(message: String, one: (&'static str, &Setting<T>), other: (&'static str, &Setting<U>)) -> Finding {
    let finding = Finding::new(message);
    match (one.1.location(), other.1.location()) {
        (Some(first), Some(second)) => keyed(finding.at(first).label(one.0), one.1).related(second, other.0),
        (Some(first), None) => keyed(finding.at(first).label(one.0), one.1),
        (None, Some(second)) => keyed(finding.at(second).label(other.0), other.1),
        (None, None) => keyed(finding, one.1),
    }
}

fn keyed<T>(finding: Finding, setting: &Setting<T>) -> Finding {
    match setting.key() {
        Some(key) => finding.key(key.to_string()),
        None => finding,
    }
}

/// What two settings hold, where both files have the key, what they say is known, and it differs. A key that is left empty counts as
/// nothing; one that a target doesn't have is not compared.
fn differing<'a, T: PartialEq>(one: &'a Setting<T>, other: &'a Setting<T>) -> Option<(Option<&'a T>, Option<&'a T>)> {
    let is_comparable = |setting: &Setting<T>| setting.exists() && setting.is_known();
    let (first, second) = (one.value(), other.value());
    (is_comparable(one) && is_comparable(other) && first != second).then_some((first, second))
}

/// A number, as a sentence has it.
fn number(value: Option<&i64>) -> String {
    value.map_or_else(|| "not set".to_owned(), i64::to_string)
}

/// Words that say whose value it is where nobody wrote it.
fn whose<T>(fact: &Fact<T>) -> &'static str {
    if fact.is_written() { "" } else { ", its default" }
}
