//! Merges JSON values.

use serde_json::{Map, Value as Json};

use crate::json::Patch;

/// The value that follows from the changes of two sides. Where both changed the same value, ours stays, and `told` gets a sentence; what one side
/// changed is not removed because the other one removed it.
pub(super) fn three_way(
    base: Option<&Json>,
    ours: Option<&Json>,
    theirs: Option<&Json>,
    path: &str,
    told: &mut Vec<String>,
) -> Option<Json> {
    if theirs == base || ours == theirs {
        return ours.cloned();
    }
    if ours == base {
        return theirs.cloned();
    }
    match (ours, theirs) {
        (Some(Json::Object(one)), Some(Json::Object(other))) if !path.ends_with(".fingerprint") => {
            let none = Map::new();
            let base = base.and_then(Json::as_object).unwrap_or(&none);
            let mut merged = Map::new();
            for key in one.keys().chain(other.keys().filter(|key| !one.contains_key(*key))) {
                let below = format!("{path}.{key}");
                if let Some(value) = three_way(base.get(key), one.get(key), other.get(key), &below, told) {
                    merged.insert(key.clone(), value);
                }
            }
            Some(Json::Object(merged))
        }
        (Some(Json::Array(one)), Some(Json::Array(other))) => {
            let new = other.iter().filter(|item| !one.contains(item));
            Some(one.iter().chain(new).cloned().collect())
        }
        (Some(one), Some(other)) => {
            if !path.ends_with(".current_version") {
                let path = path.trim_start_matches('.');
                told.push(format!("both sides changed {path}: kept {one}, dropped {other}"));
            }
            Some(one.clone())
        }
        (Some(kept), None) | (None, Some(kept)) => Some(kept.clone()),
        (None, None) => None,
    }
}

/// The changes that make one value of another.
pub(super) fn patch(from: &Json, to: &Json) -> Patch {
    let (Json::Object(from), Json::Object(to)) = (from, to) else { return Patch::Set(to.clone()) };
    let mut patch = Patch::none();
    for key in from.keys().filter(|key| !to.contains_key(*key)) {
        *patch.member(key) = Patch::Remove;
    }
    for (key, new) in to {
        match from.get(key) {
            Some(old) if old == new => {}
            Some(old) => *patch.member(key) = self::patch(old, new),
            None => patch.set(key, new.clone()),
        }
    }
    patch
}
