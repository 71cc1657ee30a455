//! Runs of both sides that have the same name.

use std::collections::HashSet;

use serde_json::{Map, Value as Json};

const RUNS: &str = "runs";

/// Gives the other side's runs new names where our side has another run of the same name. A run that our side has under another name keeps that one.
pub(super) fn number_on(base: &mut Json, ours: &Json, theirs: &mut Json, told: &mut Vec<String>) {
    let none = Map::new();
    let runs = |all: &Json| all.get(RUNS).and_then(Json::as_object).cloned();
    let (of_base, of_theirs) = (runs(base).unwrap_or_default(), runs(theirs).unwrap_or_default());
    let of_ours = ours.get(RUNS).and_then(Json::as_object).unwrap_or(&none);
    let mut taken: HashSet<String> = of_ours.keys().chain(of_theirs.keys()).chain(of_base.keys()).cloned().collect();
    for (id, run) in &of_theirs {
        let Some(own) = of_ours.get(id).filter(|own| *own != run) else { continue };
        let before = of_base.get(id);
        let known =
            |of: &Json| of_ours.iter().find(|(known, value)| *known != id && *value == of).map(|(known, _)| known.clone());
        let new = match before {
            // Our side has changed this run, or has numbered it on in an earlier merge.
            Some(before) if own == before || is_one(own, before) => continue,
            Some(before) => known(before),
            None => known(run).or_else(|| {
                let new = next(id, &taken);
                told.push(format!("run {id} of the other side is {new}, because our side has another run {id}"));
                Some(new)
            }),
        };
        let Some(new) = new else { continue };
        taken.insert(new.clone());
        rename(theirs, id, &new);
        if before.is_some() {
            rename(base, id, &new);
        }
    }
}

/// Whether two states are of one run: what it was started with is the same.
fn is_one(one: &Json, other: &Json) -> bool {
    ["started", "config", "sha256", "pod"].iter().all(|member| one.get(member) == other.get(member))
}

/// The next free name: `2026-01-05-2` after `2026-01-05-1`.
fn next(id: &str, taken: &HashSet<String>) -> String {
    let (stem, number) = id.rsplit_once('-').unwrap_or((id, ""));
    let (stem, first) = match number.parse::<usize>() {
        Ok(number) if number < usize::MAX / 2 => (stem, number + 1),
        _ => (id, 2),
    };
    // There is one more name than there are runs, so one of them is free.
    (first..=first + taken.len()).map(|number| format!("{stem}-{number}")).find(|id| !taken.contains(id)).unwrap_or_default()
}

fn rename(all: &mut Json, id: &str, new: &str) {
    let Some(runs) = all.get_mut(RUNS).and_then(Json::as_object_mut) else { return };
    if let Some(run) = runs.shift_remove(id) {
        runs.insert(new.to_owned(), run);
    }
}
