//! The content of `registry.json`, with the location of each part.

mod known_text;
mod read;
mod reference;

use std::{
    collections::{HashMap, HashSet},
    sync::OnceLock,
};

use cfg_diag::{Diagnostic, FileId, Location, Severity, Span};

use crate::{
    Version,
    fingerprint::{Digest, Recorded},
    json::{self, Node, Patch},
};

pub use read::is_registry;
pub use reference::{Reference, Unresolved};

/// The version of the format of `registry.json`. A registry that states none has this version.
pub const SCHEMA_VERSION: u64 = 1;

/// The file id of a registry in diagnostics.
pub const REGISTRY_FILE: FileId = FileId(u32::MAX);

/// The text of an empty registry.
pub const EMPTY: &str = "{\n  \"schema_version\": 1,\n  \"active_configs\": {},\n  \"configs\": {}\n}\n";

/// A text, and its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The text.
    pub value: Box<str>,
    /// Its bytes in `registry.json`, including the quotes.
    pub span: Span,
}

impl Text {
    /// Its location.
    pub const fn location(&self) -> Location {
        Location::new(REGISTRY_FILE, self.span)
    }
}

/// A name for a version that is in use.
#[derive(Clone, Debug)]
pub struct Active {
    /// The name.
    pub name: Text,
    /// The version: `path:version`.
    pub reference: Text,
}

/// A config and its versions.
#[derive(Clone, Debug)]
pub struct Config {
    /// Its path relative to the folder of the registry's paths, with `/` between folders.
    pub path: Text,
    /// The model that it trains.
    pub model: Option<Text>,
    /// The machine for which it is written.
    pub hardware: Option<Text>,
    /// The current version of the file.
    pub current: Option<Text>,
    /// Whether the file was deleted. Its versions stay in the registry.
    pub is_removed: bool,
    /// Its versions, in the order of the registry.
    pub versions: Vec<Entry>,
    by_label: HashMap<Box<str>, usize>,
}

/// A version of a config.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its version as written: `v3`.
    pub label: Text,
    /// The version; `None` if the label is not valid.
    pub version: Option<Version>,
    /// The day on which it was created.
    pub created: Option<Text>,
    /// The reason for it.
    pub notes: Option<Text>,
    /// The sha256 of the exact bytes.
    pub sha256: Option<Text>,
    /// Its meaning.
    pub fingerprint: Option<Recorded>,
    /// Its parent, as written.
    pub based_on: Option<Text>,
    /// The prime-rl for which it was created.
    pub prime_rl: Option<Text>,
    /// The version of the environment for which it was created.
    pub env_version: Option<Text>,
    /// The sha256 of other texts of the same version.
    pub also: Vec<Text>,
    /// The version that its text states, if it was registered as that and a merge has numbered it on.
    pub stated_version: Option<Text>,
    /// The parent that its text states, if that has another name in the registry since a merge or a rename.
    pub stated_parent: Option<Text>,
}

/// A training run, as far as it identifies what it ran.
#[derive(Clone, Debug)]
pub struct RunEntry {
    /// Its unique name.
    pub id: Text,
    /// The version that ran, as written.
    pub config: Option<Text>,
    /// The sha256 of the exact bytes that ran.
    pub sha256: Option<Text>,
    /// The meaning of this text.
    pub fingerprint: Option<Recorded>,
}

/// The position of a version in a registry: the index of its config, and its index among the versions of that config.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VersionPlace {
    /// The index of the config.
    pub config: usize,
    /// The index of the version among those of the config.
    pub entry: usize,
}

/// The content of `registry.json`.
#[derive(Clone, Debug)]
pub struct Registry {
    /// The text that was read.
    pub text: String,
    pub(crate) root: Node,
    /// The configs, in the order of the registry.
    pub configs: Vec<Config>,
    /// The names in use, in the order of the registry.
    pub active: Vec<Active>,
    /// The training runs, in the order of the registry.
    pub runs: Vec<RunEntry>,
    by_path: HashMap<Box<str>, usize>,
    /// The configs by file name.
    by_name: HashMap<Box<str>, Vec<usize>>,
    /// Each sha256 in it, as soon as a text is looked up.
    texts: OnceLock<HashSet<Digest>>,
}

/// The diagnostic for which a registry can't be used or changed, if there is one.
pub fn fault(diagnostics: &[Diagnostic]) -> Option<&Diagnostic> {
    diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error)
}

impl Registry {
    /// The index of the config at a path.
    pub fn index_of(&self, path: &str) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    /// The config at a path.
    pub fn config(&self, path: &str) -> Option<&Config> {
        self.index_of(path).map(|index| &self.configs[index])
    }

    /// The version at a place of this registry.
    pub fn entry(&self, place: VersionPlace) -> &Entry {
        &self.configs[place.config].versions[place.entry]
    }

    /// The reference to a version: `path:version`.
    pub fn name(&self, place: VersionPlace) -> String {
        format!("{}:{}", self.configs[place.config].path.value, self.entry(place).label.value)
    }

    /// All versions, in the order of the registry.
    pub fn places(&self) -> impl Iterator<Item = VersionPlace> {
        let configs = self.configs.iter().enumerate();
        configs.flat_map(|(config, of)| (0..of.versions.len()).map(move |entry| VersionPlace { config, entry }))
    }

    /// The text with changes.
    pub fn patched(&self, patch: &Patch) -> String {
        json::apply(&self.text, &self.root, patch)
    }

    /// Each sha256 in a version or a run.
    pub fn contents(&self) -> impl Iterator<Item = &str> {
        let entries = self.configs.iter().flat_map(|config| &config.versions);
        let of_versions = entries.flat_map(|entry| entry.sha256.iter().chain(&entry.also));
        of_versions.chain(self.runs.iter().flat_map(|run| &run.sha256)).map(|sha| &*sha.value)
    }
}

impl Config {
    /// The index of the version with this label.
    pub fn index_of(&self, label: &str) -> Option<usize> {
        self.by_label.get(label).copied()
    }

    /// The version with this label.
    pub fn entry(&self, label: &str) -> Option<&Entry> {
        self.index_of(label).map(|index| &self.versions[index])
    }

    /// The current version of the file, if it is among the versions.
    pub fn current_entry(&self) -> Option<&Entry> {
        self.entry(&self.current.as_ref()?.value)
    }

    /// The highest version.
    pub fn highest(&self) -> Option<&Version> {
        self.versions.iter().filter_map(|entry| entry.version.as_ref()).max()
    }

    /// The highest version below another one.
    pub fn predecessor(&self, of: &Version) -> Option<usize> {
        let numbered = self.versions.iter().enumerate().filter_map(|(index, entry)| Some((entry.version.as_ref()?, index)));
        numbered.filter(|(version, _)| *version < of).max().map(|(_, index)| index)
    }

    /// The last part of its path.
    pub fn file_name(&self) -> &str {
        file_name(&self.path.value)
    }
}

/// The last part of a path with `/` between folders.
fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
