//! Merges two registries that have a common ancestor, as `git merge` merges two branches.
//!
//! A version is the text that it was registered with, and not its name: two branches that each registered a `v3` registered two versions. The one of
//! our side keeps its name, that of the other side gets the next free one, and whatever refers to it follows.

mod labels;
mod moved;
mod renames;
mod repair;
mod runs;
mod sides;
mod values;

use std::collections::HashMap;

use serde_json::{Map, Value as Json};

use crate::{
    Registry,
    json::to_json,
    registry::{EMPTY, fault},
};

pub use moved::{STATED, renamed};
pub use sides::{Sides, sides};

/// A version in one of the registries: the path of its config, and its label.
type Name = (String, String);

/// A merged registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// Its text: that of our side, with changes.
    pub text: String,
    /// What was decided, each as a sentence without a full stop.
    pub told: Vec<String>,
}

/// The side of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The common ancestor.
    Base,
    /// The branch into which the other one is merged.
    Ours,
    /// The branch that is merged.
    Theirs,
}

impl Side {
    /// Its name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Base => "the common ancestor",
            Self::Ours => "our side",
            Self::Theirs => "the other side",
        }
    }
}

/// Merges two registries. An empty text stands for a registry that does not exist.
///
/// # Errors
///
/// The side that is not a valid registry.
pub fn merge(base: &str, ours: &str, theirs: &str) -> Result<Merged, Side> {
    let read = |text: &str, side| {
        let text = if text.trim().is_empty() { EMPTY } else { text };
        let (registry, diagnostics) = Registry::read(text);
        if fault(&diagnostics).is_some() { Err(side) } else { Ok(registry) }
    };
    let base = read(base, Side::Base)?;
    let (ours, theirs) = (read(ours, Side::Ours)?, read(theirs, Side::Theirs)?);
    let mut told = Vec::new();
    let paths = renames::Renames::new(&base, &ours, &theirs);
    let names = labels::names(&base, &ours, &theirs, &paths);
    let names_of_ours: HashMap<Name, Name> = ours
        .places()
        .map(|place| name_in(&ours, place))
        .map(|(path, label)| ((path.clone(), label.clone()), (paths.of_ours(&path), label)))
        .collect();
    let ours_moved = moved::moved(&ours, &names_of_ours);
    let mut base_moved = moved::moved(&base, &names.of_base);
    let mut theirs_moved = moved::moved(&theirs, &names.of_theirs);
    runs::number_on(&mut base_moved, &ours_moved, &mut theirs_moved, &mut told);
    let merged = values::three_way(Some(&base_moved), Some(&ours_moved), Some(&theirs_moved), "", &mut told);
    let mut merged = merged.unwrap_or_else(|| Json::Object(Map::new()));
    repair::complete(&mut merged, &ours_moved, &theirs_moved, &mut told);
    // One that our side has removed is not kept under another name either.
    let is_kept = |(path, label): &Name| !merged["configs"][path]["versions"][label].is_null();
    told.splice(0..0, names.told.into_iter().filter(|(name, _)| is_kept(name)).map(|(_, why)| why));
    let text = ours.patched(&values::patch(&to_json(&ours.root), &merged));
    Ok(Merged { text, told })
}

/// The path and the label of a version.
fn name_in(registry: &Registry, place: crate::registry::VersionPlace) -> Name {
    (registry.configs[place.config].path.value.to_string(), registry.entry(place).label.value.to_string())
}

#[cfg(test)]
mod tests;
