//! Files of verifiers' own evaluations: those that `vf-eval` and `prime eval run` read, and their registry of endpoints.
//!
//! Their loader is a function of verifiers that checks the tables in code and raises at the first error; so this is a port of it, in its order.
//! `schemas/evaluations.toml` states what it accepts in which release.

pub(crate) mod command;
mod endpoints;
mod evaluations;
mod facts;
mod keys;
mod platform;
mod registry;
mod table;
mod used;
mod values;

use cfg_diag::{Diagnostic, FileId};
use cfg_schema::ExtraType;
use cfg_syntax::Document;
use cfg_system::System;

pub(crate) use facts::facts;

use self::{facts::Key, registry::Registries, table::At, used::Used};
use crate::Session;

/// A file that verifiers reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VerifiersFile {
    /// Evaluations: `[[eval]]` and `[[ablation]]`.
    Evaluations,
    /// The registry to which their `endpoint_id` refers: `[[endpoint]]`.
    Endpoints,
}

impl VerifiersFile {
    /// Its name, used like the name of an entrypoint for a prime-rl config.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Evaluations => "vf-eval",
            Self::Endpoints => "vf-endpoints",
        }
    }
}

/// A file that verifiers reads, and the verifiers for which it was checked.
#[derive(Clone, Debug)]
pub struct OfVerifiers {
    /// The role of the file.
    pub file: VerifiersFile,
    /// The version of verifiers, for messages: `verifiers 0.1.14`.
    pub verifiers: String,
    /// The keys that this version accepts at the root of the file.
    pub root_keys: Vec<&'static str>,
    /// The keys that it accepts in a table of evaluations, or of an endpoint.
    pub entry_keys: Vec<&'static str>,
}

impl OfVerifiers {
    fn new(file: VerifiersFile, used: &Used) -> Self {
        let (root_keys, entry_keys) = match file {
            VerifiersFile::Evaluations => (used.names(true), used.names(false)),
            VerifiersFile::Endpoints => (Vec::new(), used.names_of_endpoint()),
        };
        Self { file, verifiers: used.in_words(), root_keys, entry_keys }
    }

    /// The arrays of tables that such a file lists.
    pub const fn lists(&self) -> &'static [&'static str] {
        match self.file {
            VerifiersFile::Evaluations => &["eval", "ablation"],
            VerifiersFile::Endpoints => &["endpoint"],
        }
    }

    /// A key of this file, in any release.
    fn key(&self, name: &str) -> Option<&'static Key> {
        match self.file {
            VerifiersFile::Evaluations => facts().key(name),
            VerifiersFile::Endpoints => facts().endpoint_keys().iter().find(|own| *own.name == *name),
        }
    }

    /// The type with which the value of a key is written; `None` for a key that no release has.
    pub fn type_of(&self, key: &str) -> Option<ExtraType> {
        match self.file {
            VerifiersFile::Endpoints if matches!(key, "type" | "api_client_type") => {
                Some(ExtraType::Literal(facts().client_types.clone()))
            }
            _ => self.key(key).map(Key::written_type),
        }
    }

    /// What a key is, in a sentence; `None` for a key that no release has.
    pub fn says(&self, key: &str) -> Option<&'static str> {
        self.key(key).map(|key| &*key.says)
    }

    /// The release that first had a key; `None` if all have it.
    pub fn since(&self, key: &str) -> Option<&'static str> {
        self.key(key)?.stretch.since.as_ref().map(|(_, name)| &**name)
    }

    /// The tasksets in the repository of verifiers.
    pub fn tasksets() -> impl Iterator<Item = &'static str> {
        facts().tasksets.iter().map(|id| &**id)
    }

    /// The environments in the repository of verifiers.
    pub fn environments() -> impl Iterator<Item = &'static str> {
        facts().environments.iter().map(|id| &**id)
    }
}

/// The findings of verifiers for a file; for evaluations that run on the platform, according to their command or keys, those of
/// `prime eval run --hosted`. `system` reads the registries that it names.
pub(crate) fn check(
    session: &Session,
    system: &dyn System,
    file: FileId,
    path: &str,
    kind: VerifiersFile,
    document: &Document,
    is_hosted: bool,
) -> (Vec<Diagnostic>, OfVerifiers) {
    let is_hosted = kind == VerifiersFile::Evaluations && (is_hosted || platform::is_meant(&document.root));
    let used = if is_hosted { Used::hosted() } else { Used::around(session, path) };
    if kind == VerifiersFile::Evaluations && used.does("lists") == Some(false) {
        return (vec![no_lists(file, &used, document)], OfVerifiers::new(kind, &used));
    }
    let mut found = match kind {
        VerifiersFile::Evaluations => evaluations::check(file, &used, Registries::new(system, &used, path), &document.root),
        VerifiersFile::Endpoints => endpoints::check(file, &used, &document.root),
    };
    // The loader stops at the first refusal.
    let first = found.iter().position(Diagnostic::is_refusal).map_or(found.len(), |first| first + 1);
    found[first..].iter_mut().filter_map(|found| found.native.as_mut()).for_each(|native| native.masked = true);
    (found, OfVerifiers::new(kind, &used))
}

/// The finding for a list of evaluations in a project whose verifiers reads none: its `vf-eval` takes the path for the name of a taskset.
fn no_lists(file: FileId, used: &Used, document: &Document) -> Diagnostic {
    let root = At::root(file, &document.root);
    let message = format!(
        "{} has no loader of lists: it does not evaluate this file, and `prime eval run` nothing locally",
        used.in_words()
    );
    let help = "write each evaluation to its own file: `model`, `select.limit`, and a table `[env.taskset]` with its `id`, for \
        `vf-eval @ FILE.toml`; or stay with verifiers 0.3.1";
    let entry = ["eval", "ablation"].iter().find_map(|key| root.given(key));
    let finding = match entry {
        Some(entry) => root.refused(entry, message),
        None => root.refused_itself(message),
    };
    // It looks for a taskset of this name, and ends.
    finding.label("not read").help(help).native("SystemExit", Vec::new())
}
