//! A registry in which versions have other names.

use std::collections::HashMap;

use serde_json::{Map, Value as Json, json};

use super::{Name, name_in, values};
use crate::{Registry, json::to_json};

/// The member of a version with what its text states of itself, its `version` or its `based_on`, if that is not what the registry says: the text of a
/// version never changes.
pub const STATED: &str = "stated";

/// The text of a registry in which configs have other paths: each pair is a former path and a new one, which no config has. Their versions, and what refers
/// to them, follow.
pub fn renamed(registry: &Registry, renames: &[(String, String)]) -> String {
    let paths: HashMap<&str, &str> = renames.iter().map(|(from, to)| (&**from, &**to)).collect();
    let new_path = |path: &str| paths.get(path).map_or_else(|| path.to_owned(), |to| (*to).to_owned());
    let names = registry.places().map(|place| name_in(registry, place)).map(|(path, label)| {
        let new = new_path(&path);
        ((path, label.clone()), (new, label))
    });
    let mut new = moved(registry, &names.collect());
    // A config without versions has no names.
    if let Some(configs) = new.get_mut("configs").and_then(Json::as_object_mut) {
        *configs = std::mem::take(configs).into_iter().map(|(path, config)| (new_path(&path), config)).collect();
    }
    registry.patched(&values::patch(&to_json(&registry.root), &new))
}

/// The content of a registry with other names of its versions; versions without an entry in `names` keep theirs.
pub(super) fn moved(registry: &Registry, names: &HashMap<Name, Name>) -> Json {
    let mut all = to_json(&registry.root);
    let reference = |text: &str, from: Option<&str>| -> Option<String> {
        let old = name_in(registry, registry.resolve(text, from).ok()?);
        let new = names.get(&old).filter(|new| **new != old)?;
        Some(format!("{}:{}", new.0, new.1))
    };
    if let Some(configs) = all.get_mut("configs").and_then(Json::as_object_mut) {
        let mut renamed = Map::new();
        for (path, mut config) in std::mem::take(configs) {
            let new_path = move_config(&path, &mut config, names, &reference);
            renamed.insert(new_path, config);
        }
        *configs = renamed;
    }
    let follow = |value: &mut Json| {
        if let Some(new) = value.as_str().and_then(|text| reference(text, None)) {
            *value = new.into();
        }
    };
    if let Some(active) = all.get_mut("active_configs").and_then(Json::as_object_mut) {
        active.values_mut().for_each(follow);
    }
    if let Some(runs) = all.get_mut("runs").and_then(Json::as_object_mut) {
        runs.values_mut().filter_map(|run| run.get_mut("config")).for_each(follow);
    }
    all
}

/// Gives the versions of a config their new labels. Returns its new path.
fn move_config(
    path: &str,
    config: &mut Json,
    names: &HashMap<Name, Name>,
    reference: &dyn Fn(&str, Option<&str>) -> Option<String>,
) -> String {
    let name_of = |label: &str| names.get(&(path.to_owned(), label.to_owned()));
    let mut new_path = path.to_owned();
    let Some(config) = config.as_object_mut() else { return new_path };
    if let Some(new) = config.get("current_version").and_then(Json::as_str).and_then(name_of) {
        config.insert("current_version".into(), new.1.clone().into());
    }
    let Some(versions) = config.get_mut("versions").and_then(Json::as_object_mut) else { return new_path };
    let mut relabelled = Map::new();
    for (label, mut entry) in std::mem::take(versions) {
        let new_label = name_of(&label).map_or(label.clone(), |new| new.1.clone());
        if let Some(new) = name_of(&label) {
            new_path.clone_from(&new.0);
        }
        if new_label != label {
            state(&mut entry, "version", &label);
        }
        let parent = entry.get("based_on").and_then(Json::as_str).map(str::to_owned);
        if let Some((new, old)) = parent.and_then(|old| Some((reference(&old, Some(path))?, old))) {
            state(&mut entry, "based_on", &old);
            entry["based_on"] = new.into();
        }
        forget(&mut entry, &new_label);
        relabelled.insert(new_label, entry);
    }
    *versions = relabelled;
    new_path
}

/// Records what the text of a version states, unless that is recorded already.
pub(super) fn state(entry: &mut Json, member: &str, value: &str) {
    if entry.get(STATED).is_some_and(|stated| stated.get(member).is_some()) {
        return;
    }
    let Some(entry) = entry.as_object_mut() else { return };
    match entry.get_mut(STATED).and_then(Json::as_object_mut) {
        Some(stated) => drop(stated.insert(member.to_owned(), value.into())),
        None => drop(entry.insert(STATED.to_owned(), json!({ member: value }))),
    }
}

/// Removes what a text states if that is what the registry says.
fn forget(entry: &mut Json, label: &str) {
    let parent = entry.get("based_on").cloned();
    let Some(stated) = entry.get_mut(STATED).and_then(Json::as_object_mut) else { return };
    if stated.get("version").is_some_and(|version| version == label) {
        stated.shift_remove("version");
    }
    if stated.get("based_on").is_some_and(|stated| Some(stated) == parent.as_ref()) {
        stated.shift_remove("based_on");
    }
    if stated.is_empty()
        && let Some(entry) = entry.as_object_mut()
    {
        entry.shift_remove(STATED);
    }
}
