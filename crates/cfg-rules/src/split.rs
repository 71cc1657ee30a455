//! Files of one run that are started separately: no process compares them, as `rl` compares the components of one file.

use cfg_plan::{Fact, Inference, Orchestrator, Setting, Trainer};
use cfg_schema::Kind;

use crate::{Context, Finding};

pub(crate) mod adapter_not_served;
pub(crate) mod address_mismatch;
pub(crate) mod broadcast_mismatch;
pub(crate) mod folder_mismatch;
pub(crate) mod model_mismatch;
pub(crate) mod served_name;
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

/// Whether one trainer takes part in several runs, each with its own orchestrator: then it runs longer than each of them.
fn serves_several(trainer: &Trainer) -> bool {
    trainer.max_concurrent_runs.get().is_some_and(|runs| runs > 1)
}

/// A finding about two settings of two files: at the first that is written, with the other as a related place.
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

/// The values of two settings, if both files have the key, both values are known, and they differ. An empty key counts as no value; a key that a
/// target does not have is not compared.
fn differing<'a, T: PartialEq>(one: &'a Setting<T>, other: &'a Setting<T>) -> Option<(Option<&'a T>, Option<&'a T>)> {
    let is_comparable = |setting: &Setting<T>| setting.exists() && setting.is_known();
    let (first, second) = (one.value(), other.value());
    (is_comparable(one) && is_comparable(other) && first != second).then_some((first, second))
}

/// A number in a sentence.
fn number(value: Option<&i64>) -> String {
    value.map_or_else(|| "not set".to_owned(), i64::to_string)
}

/// The source of a value that is not written, in words.
fn whose<T>(fact: &Fact<T>) -> &'static str {
    if fact.is_written() { "" } else { ", its default" }
}

/// The port of a URL if its host is this machine: 8000 for `http://localhost:8000/v1`.
pub(crate) fn local_port(url: &str) -> Option<i64> {
    let (name, port) = url.strip_prefix("http://")?.split('/').next()?.rsplit_once(':')?;
    ["localhost", "127.0.0.1", "0.0.0.0"].contains(&name).then(|| port.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::local_port;

    #[test]
    fn the_port_of_an_address_on_this_machine() {
        assert_eq!(local_port("http://localhost:8000/v1"), Some(8000));
        assert_eq!(local_port("http://127.0.0.1:9"), Some(9));
        for other in ["http://10.0.0.1:8000/v1", "https://localhost:8000", "http://localhost/v1", "", "http://localhost:x"] {
            assert_eq!(local_port(other), None, "{other}");
        }
    }
}
