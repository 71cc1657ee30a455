//! Completes a merged registry: everything in it refers to something in it.

use serde_json::{Map, Value as Json};

use super::{Name, moved::state};
use crate::registry::Reference;

/// Lets versions be based on the nearest ancestor that is in the registry, keeps versions that a run used, and gives each config a current version
/// that it has. A revert or a cherry-pick leaves out versions to which others refer.
pub(super) fn complete(merged: &mut Json, ours: &Json, theirs: &Json, told: &mut Vec<String>) {
    for name in run_names(merged) {
        let version = find(merged, &name).is_none().then(|| find(ours, &name).or_else(|| find(theirs, &name))).flatten();
        if let Some(version) = version.cloned() {
            let (path, label) = &name;
            told.push(format!(
                "{label} of {path}, which one side removed, is kept, because a run used it; if its text is gone, `cfg registry adopt` \
                 finds it in git's history"
            ));
            insert(merged, &name, version);
        }
    }
    let mut parents: Vec<(Name, Option<Name>)> = Vec::new();
    let Some(configs) = merged.get("configs").and_then(Json::as_object) else { return };
    for (path, config) in configs {
        for (label, entry) in config.get("versions").and_then(Json::as_object).into_iter().flatten() {
            let Some(first) = entry.get("based_on").and_then(Json::as_str).and_then(|text| full(text, path)) else { continue };
            if find(merged, &first).is_some() || find(ours, &first).or_else(|| find(theirs, &first)).is_none() {
                continue;
            }
            parents.push(((path.clone(), label.clone()), nearest(merged, ours, theirs, first)));
        }
    }
    for (name, parent) in parents {
        let Some(entry) = find_mut(merged, &name) else { continue };
        if let Some(old) = entry.get("based_on").and_then(Json::as_str).map(str::to_owned) {
            state(entry, "based_on", &old);
        }
        entry["based_on"] = parent.map_or_else(|| "none".to_owned(), |(path, label)| format!("{path}:{label}")).into();
    }
    let currents: Vec<(String, String)> = merged
        .get("configs")
        .and_then(Json::as_object)
        .into_iter()
        .flatten()
        .filter_map(|(path, config)| {
            let versions = config.get("versions")?.as_object()?;
            let current = config.get("current_version")?.as_str()?;
            let of = |side: &Json| Some(side.get("configs")?.get(path)?.get("current_version")?.as_str()?.to_owned());
            let others = || [of(ours), of(theirs), versions.keys().next_back().cloned()].into_iter().flatten();
            let valid = others().find(|label| versions.contains_key(label));
            (!versions.contains_key(current)).then(|| Some((path.clone(), valid?)))?
        })
        .collect();
    for (path, label) in currents {
        merged["configs"][&path]["current_version"] = label.into();
    }
}

/// The nearest ancestor of a version that is in the merged registry.
fn nearest(merged: &Json, ours: &Json, theirs: &Json, first: Name) -> Option<Name> {
    let mut at = first;
    let mut seen = std::collections::HashSet::new();
    while seen.insert(at.clone()) {
        if find(merged, &at).is_some() {
            return Some(at);
        }
        let entry = find(ours, &at).or_else(|| find(theirs, &at))?;
        at = full(entry.get("based_on")?.as_str()?, &at.0)?;
    }
    None
}

/// The versions that runs refer to.
fn run_names(merged: &Json) -> Vec<Name> {
    let runs = merged.get("runs").and_then(Json::as_object);
    runs.into_iter().flatten().filter_map(|(_, run)| full(run.get("config")?.as_str()?, "")).collect()
}

/// The version that a reference in a config means, if it has a path and a label, or only a label.
fn full(text: &str, from: &str) -> Option<Name> {
    let reference = Reference::parse(text);
    let path = reference.path.unwrap_or(from);
    Some((path.strip_prefix("./").unwrap_or(path).to_owned(), reference.label?.to_owned()))
}

fn find<'j>(all: &'j Json, (path, label): &Name) -> Option<&'j Json> {
    all.get("configs")?.get(path)?.get("versions")?.get(label)
}

fn find_mut<'j>(all: &'j mut Json, (path, label): &Name) -> Option<&'j mut Json> {
    all.get_mut("configs")?.get_mut(path)?.get_mut("versions")?.get_mut(label)
}

fn insert(all: &mut Json, (path, label): &Name, version: Json) {
    let Some(configs) = all.get_mut("configs").and_then(Json::as_object_mut) else { return };
    let Some(config) = configs.get_mut(path).and_then(Json::as_object_mut) else { return };
    let versions = config.entry("versions").or_insert_with(|| Json::Object(Map::new()));
    if let Some(versions) = versions.as_object_mut() {
        versions.insert(label.clone(), version);
    }
}
