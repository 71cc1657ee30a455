//! The meaning of a config, as three digests: one for each [`Class`] of keys.
//!
//! Comments, the order of keys, the spelling of numbers, written defaults and metadata do not affect the digests, nor do the different names
//! of a key at different versions of prime-rl.

mod claim;
mod class;
mod classes;
mod compare;
mod digest;
mod edits;
mod lookup;
mod meaning;
mod names;
mod page;
mod recorded;

use std::fmt;

use cfg_resolve::View;
use serde_json::{Map, Value as Json};

pub use claim::untrue;
pub use class::{Class, Level};
pub use compare::{Cause, Difference, Outcome, compare, compare_written, outcome};
pub use digest::{Digest, NoDigest};
pub use edits::{Edit, edits};
pub use lookup::class_of;
pub use meaning::{Leaf, Meaning};
pub use page::page;
pub use recorded::Recorded;

/// The version of the method by which fingerprints are computed. Fingerprints of different schemes can't be compared.
///
/// A change that gives any text another fingerprint, in the code or in the data of the history, is a new scheme: the registries in
/// `crates/cfg/tests/registries`, one for each scheme, hold what must not change. A new scheme gets a registry of its own there.
pub const SCHEME: u64 = 2;

/// The meaning of a config. Two configs with the same digest of a class have the same values in all keys of that class.
///
/// In `registry.json` it is a table: `{ "scheme": 2, "training": "9f…", "resources": "03…", "operations": "e3…" }`, each digest a sha256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    /// What is trained, on what data, and how.
    pub training: Digest,
    /// The machines, and how training is distributed over them.
    pub resources: Digest,
    /// Names, logging, and what is kept of the run.
    pub operations: Digest,
}

impl Fingerprint {
    /// The fingerprint of a resolved config.
    pub fn new(view: &View<'_>) -> Self {
        Self::of_meaning(&Meaning::new(view))
    }

    /// The digests of a meaning: for each class the sha256 of a text with a line for each key whose value differs from its first default. A line
    /// contains the oldest name of the key, the indices of the items around it, and the value as JSON; the lines are sorted.
    pub fn of_meaning(meaning: &Meaning) -> Self {
        let digest = |class: Class| {
            let unusual = meaning.leaves.iter().filter(|leaf| leaf.class == class && !leaf.is_usual);
            let mut lines: Vec<String> = unusual.map(Leaf::line).collect();
            lines.sort_unstable();
            let mut text = format!("{} {class} {SCHEME}\n", meaning.schema.kind);
            lines.iter().for_each(|line| text.push_str(line));
            Digest::of(text.as_bytes())
        };
        Self { training: digest(Class::Training), resources: digest(Class::Resources), operations: digest(Class::Operations) }
    }

    /// The digest of a class.
    pub const fn of_class(&self, class: Class) -> Digest {
        match class {
            Class::Training => self.training,
            Class::Resources => self.resources,
            Class::Operations => self.operations,
        }
    }

    /// The classes in which two configs differ, the most important first.
    pub fn differing(&self, other: &Self) -> impl Iterator<Item = Class> {
        Class::ALL.into_iter().filter(move |class| self.of_class(*class) != other.of_class(*class))
    }

    /// The level of the change from `self` to `other`; `None` if both have the same meaning.
    pub fn level_to(&self, other: &Self) -> Option<Level> {
        self.differing(other).map(Class::level).max()
    }

    /// The fingerprint in the form of `registry.json`.
    pub fn to_json(&self) -> Json {
        let mut json = Map::new();
        json.insert("scheme".into(), SCHEME.into());
        for class in Class::ALL {
            json.insert(class.name().into(), self.of_class(class).to_string().into());
        }
        Json::Object(json)
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "training:{} resources:{} operations:{}", self.training, self.resources, self.operations)
    }
}
