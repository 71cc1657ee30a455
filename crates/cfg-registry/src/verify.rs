//! Finds errors between a registry, its configs, and the stored texts.
//!
//! In diagnostics, `FileId(0)` is the config and [`REGISTRY_FILE`](crate::registry::REGISTRY_FILE)
//! is `registry.json`; the caller displays each diagnostic with its file.

mod config;
mod fingerprints;
mod graph;
mod renamed;
mod runs;

use cfg_plan::Metadata;

use crate::fingerprint::{Digest, Fingerprint};

pub use config::{Verified, config, unregistered};
pub use fingerprints::fingerprints;
pub use graph::{Drift, graph};
pub use renamed::{Edited, Lines, MAX_COMPARED, StoredLines, edited_from, rename_advice, renamed};
pub use runs::runs;

/// The file at the path of a config.
#[derive(Clone, Copy)]
pub enum File<'a> {
    /// There is no file.
    Missing,
    /// git has the file, but leaves it out of this work tree.
    LeftOut,
    /// The file can't be read; the text is the reason.
    Unreadable(&'a str),
    /// A config.
    Held(&'a Held<'a>),
}

/// A config's file.
#[derive(Clone, Copy)]
pub struct Held<'a> {
    /// Its text.
    pub text: &'a str,
    /// The sha256 of its bytes.
    pub sha256: Digest,
    /// Its metadata.
    pub metadata: &'a Metadata,
    /// The model that it trains.
    pub model: Option<&'a str>,
    /// Its meaning; computed only if its bytes are not registered.
    pub fingerprint: &'a dyn Fn() -> Option<Fingerprint>,
    /// The stored text with a sha256.
    pub stored: &'a dyn Fn(&Digest) -> Option<String>,
    /// The meaning of another text, computed as that of the file is.
    pub fingerprint_of: &'a dyn Fn(&str) -> Option<Fingerprint>,
}

/// The stored text for a sha256.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// The exact text.
    Whole,
    /// There is no file.
    Missing,
    /// The work tree has the exact text, but git's index, which is verified, has no file.
    Unstaged,
    /// The file contains another text.
    Damaged,
    /// It was not looked up.
    NotAsked,
}
