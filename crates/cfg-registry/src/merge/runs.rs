//! Runs of both sides that have the same name.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value as Json};

type Runs = Map<String, Json>;

const RUNS: &str = "runs";

/// Gives the other side's runs new names where our side has another run of the same name. A run that our side has under another name keeps that one.
pub(super) fn number_on(base: &mut Json, ours: &Json, theirs: &mut Json, told: &mut Vec<String>) {
    let none = Map::new();
    let runs = |all: &Json| all.get(RUNS).and_then(Json::as_object).cloned();
    let (of_base, of_theirs) = (runs(base).unwrap_or_default(), runs(theirs).unwrap_or_default());
    let of_ours = ours.get(RUNS).and_then(Json::as_object).unwrap_or(&none);
    let mut taken: HashSet<String> = of_ours.keys().chain(of_theirs.keys()).chain(of_base.keys()).cloned().collect();
    let mut names: HashMap<&str, String> = HashMap::new();
    for (id, run) in &of_theirs {
        let is_in_base = of_base.get(id).is_some_and(|before| was_started_as(before, run));
        let is_it = |own: &Json| own == run || was_started_as(own, run) && (is_in_base || is_known(run));
        let Some(own) = of_ours.get(id) else {
            let elsewhere = elsewhere(of_ours, &of_theirs, &is_it);
            names.insert(id, elsewhere.unwrap_or_else(|| id.clone()));
            continue;
        };
        if is_it(own) {
            continue;
        }
        let new = elsewhere(of_ours, &of_theirs, &is_it).unwrap_or_else(|| {
            let new = next(id, &taken);
            told.push(format!("run {id} of the other side becomes {new}, because our side has another run {id}"));
            new
        });
        taken.insert(new.clone());
        names.insert(id, new);
    }
    let mut names_of_base: HashMap<&str, String> = HashMap::new();
    for (id, run) in &of_base {
        let is_it = |own: &Json| was_started_as(own, run);
        let in_theirs = of_theirs.get(id).filter(|own| is_it(own)).map(|_| id.clone());
        let in_theirs = in_theirs.or_else(|| elsewhere(&of_theirs, &none, &is_it).filter(|_| is_known(run)));
        let new = match in_theirs {
            Some(there) => names.get(&*there).cloned().unwrap_or(there),
            None if of_ours.get(id).is_some_and(is_it) => continue,
            None => elsewhere(of_ours, &none, &is_it).filter(|_| is_known(run)).unwrap_or_else(|| id.clone()),
        };
        names_of_base.insert(id, new);
    }
    rename(theirs, &of_theirs, &names);
    rename(base, &of_base, &names_of_base);
}

/// The name of a run under which the other side does not have the same one.
fn elsewhere(of: &Runs, others: &Runs, is_it: &dyn Fn(&Json) -> bool) -> Option<String> {
    let is_free = |id: &String, run: &Json| others.get(id).is_none_or(|other| !was_started_as(other, run));
    of.iter().find(|(id, run)| is_it(run) && is_free(id, run)).map(|(id, _)| id.clone())
}

/// Whether two states can be of one run: what it was started with is the same.
fn was_started_as(one: &Json, other: &Json) -> bool {
    ["started", "sha256", "pod", "folder"].iter().all(|member| one.get(member) == other.get(member))
}

/// Whether a run is known by more than its day and its text, which several runs may share.
fn is_known(run: &Json) -> bool {
    ["pod", "folder"].iter().any(|member| run.get(member).is_some())
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

fn rename(all: &mut Json, runs: &Runs, names: &HashMap<&str, String>) {
    let name = |id: &String| names.get(&**id).unwrap_or(id).clone();
    if let Some(place) = all.get_mut(RUNS) {
        *place = runs.iter().map(|(id, run)| (name(id), run.clone())).collect();
    }
}
