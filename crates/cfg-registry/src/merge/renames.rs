//! Configs that one of the branches has renamed.

use std::collections::{HashMap, HashSet};

use crate::{Registry, registry::Config};

/// The configs of a common ancestor that a branch has under another path: a path of each that is gone, and the one that has its texts.
pub(super) struct Renames {
    ours: HashMap<String, String>,
    theirs: HashMap<String, String>,
}

impl Renames {
    pub(super) fn new(base: &Registry, ours: &Registry, theirs: &Registry) -> Self {
        let (ours, mut theirs) = (of(base, ours), of(base, theirs));
        // If both have renamed it, each has its own config.
        theirs.retain(|path, _| !ours.contains_key(path));
        Self { ours, theirs }
    }

    /// The path in the merged registry of a config of our side.
    pub(super) fn of_ours(&self, path: &str) -> String {
        self.theirs.get(path).map_or(path, String::as_str).to_owned()
    }

    /// The path in the merged registry of a config of the other side.
    pub(super) fn of_theirs(&self, path: &str) -> String {
        self.ours.get(path).map_or(path, String::as_str).to_owned()
    }

    /// The path in the merged registry of a config of the common ancestor.
    pub(super) fn of_base(&self, path: &str) -> String {
        self.ours.get(path).or_else(|| self.theirs.get(path)).map_or(path, String::as_str).to_owned()
    }

    /// The path on our side of a config that has this one in the merged registry.
    pub(super) fn in_ours<'p>(&'p self, merged: &'p str) -> &'p str {
        self.theirs.iter().find(|(_, new)| *new == merged).map_or(merged, |(old, _)| old)
    }

    /// The path in the common ancestor of a config of the other side.
    pub(super) fn in_base<'p>(&'p self, theirs: &'p str) -> &'p str {
        self.theirs.iter().find(|(_, new)| *new == theirs).map_or(theirs, |(old, _)| old)
    }
}

fn of(base: &Registry, side: &Registry) -> HashMap<String, String> {
    let texts = |config: &Config| -> HashSet<Box<str>> {
        config.versions.iter().filter_map(|entry| Some(entry.sha256.as_ref()?.value.clone())).collect()
    };
    let new: Vec<(&str, HashSet<Box<str>>)> = side
        .configs
        .iter()
        .filter(|config| base.config(&config.path.value).is_none())
        .map(|config| (&*config.path.value, texts(config)))
        .collect();
    let mut found = HashMap::new();
    if new.is_empty() {
        return found;
    }
    let mut taken = HashSet::new();
    for config in base.configs.iter().filter(|config| side.config(&config.path.value).is_none()) {
        let old = texts(config);
        let shared = new.iter().map(|(path, texts)| (texts.intersection(&old).count(), *path));
        let best = shared.filter(|(count, path)| *count > 0 && !taken.contains(path)).max_by_key(|(count, _)| *count);
        if let Some((_, path)) = best {
            taken.insert(path);
            found.insert(config.path.value.to_string(), path.to_owned());
        }
    }
    found
}
