//! Fixes, as replacements of byte ranges.

use crate::Location;

/// Replaces the bytes at `location` by `new_text`. An empty range inserts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The replaced range.
    pub location: Location,
    /// The new text.
    pub new_text: String,
}

/// Whether a fix is safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Applicability {
    /// It certainly is what the author meant, or what prime-rl already does.
    Safe,
    /// It is probable, but changes what the config means; the author decides.
    Unsafe,
}

/// A fix for one diagnostic: edits that do not overlap and belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, in imperative form: "rename to `seq_len`".
    pub title: String,
    /// Whether it is safe.
    pub applicability: Applicability,
    /// The replacements, in the order of the file.
    pub edits: Vec<Edit>,
    /// What it does with what is written.
    pub does: Does,
    /// The settings that the config does not make after it, if there are any.
    pub lost: Option<Lost>,
}

/// What a fix does with what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Does {
    /// It writes a value, a table or a mark.
    Write,
    /// It gives a key another name in its table.
    Rename,
    /// It puts a value in another table.
    Move,
    /// It removes something, and writes nothing in its place.
    Remove,
}

impl Does {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Rename => "rename",
            Self::Move => "move",
            Self::Remove => "remove",
        }
    }
}

/// Settings that a fix drops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// Their keys.
    pub keys: Vec<String>,
    /// Why nothing is written in their place; empty if nothing is known that means the same.
    pub why: String,
}

impl Fix {
    /// A fix that gives a key another name in its place.
    pub fn rename(name: &str, applicability: Applicability, key: Location) -> Self {
        let edit = Edit { location: key, new_text: name.to_owned() };
        Self { does: Does::Rename, ..Self::new(format!("rename to `{name}`"), applicability, vec![edit]) }
    }

    /// A fix that only removes something, or else writes.
    pub fn new(title: impl Into<String>, applicability: Applicability, edits: Vec<Edit>) -> Self {
        let removes = edits.iter().all(|edit| edit.new_text.trim().is_empty());
        Self { title: title.into(), applicability, edits, does: if removes { Does::Remove } else { Does::Write }, lost: None }
    }
}

/// Whether a key is another one, or in its table: `ckpt.interval` is within `ckpt`.
pub fn is_within(key: &str, table: &str) -> bool {
    key.strip_prefix(table).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// A change of a config in terms of its keys, in the notation of [`Diagnostic::key`](crate::Diagnostic::key).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyChange {
    /// The key is renamed or moves to another table, with its value.
    Move {
        /// The key as it is written.
        from: String,
        /// Its new place.
        to: String,
    },
    /// The key gets a value, whether it exists or not.
    Set {
        /// The key.
        key: String,
        /// The value as TOML.
        value: String,
    },
    /// A table without keys is added at the end of the text, with a header.
    Table {
        /// Its key.
        key: String,
    },
    /// The key is removed, with everything below it.
    Remove {
        /// The key.
        key: String,
    },
}

/// A repair that is proposed in terms of keys. It becomes a [`Fix`] once it has been tried on the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// What it does, in imperative form.
    pub title: String,
    /// Whether it is safe.
    pub applicability: Applicability,
    /// The changes, in the order in which they are made. All of them, or none.
    pub changes: Vec<KeyChange>,
    /// What the finding says instead of its own help if this repair is the one that works; `None` if its help fits.
    pub help: Option<String>,
    /// The settings that the config does not make after it.
    pub lost: Option<Lost>,
}

impl Proposal {
    /// A repair that is probable, but that the author has to confirm.
    pub fn possible(title: impl Into<String>, changes: Vec<KeyChange>) -> Self {
        Self { title: title.into(), applicability: Applicability::Unsafe, changes, help: None, lost: None }
    }

    /// Removes a setting that nothing means here, for a reason.
    pub fn remove(key: &str, why: impl Into<String>) -> Self {
        let why = why.into();
        let title = if why.is_empty() { format!("remove `{key}`") } else { format!("remove `{key}`: {why}") };
        Self::possible(title, vec![KeyChange::Remove { key: key.to_owned() }]).loses([key.to_owned()], why)
    }

    /// Names the settings that it drops.
    #[must_use]
    pub fn loses(self, keys: impl IntoIterator<Item = String>, why: impl Into<String>) -> Self {
        let keys: Vec<String> = keys.into_iter().collect();
        Self { lost: (!keys.is_empty()).then(|| Lost { keys, why: why.into() }), ..self }
    }

    /// What it does with what is written.
    pub fn does(&self) -> Does {
        let table = |key: &str| key.rsplit_once('.').map(|(table, _)| table.to_owned());
        let is_set = |change: &KeyChange| matches!(change, KeyChange::Set { .. } | KeyChange::Table { .. });
        match &*self.changes {
            [KeyChange::Move { from, to }] if table(from) == table(to) => Does::Rename,
            changes if changes.iter().any(is_set) => Does::Write,
            changes if changes.iter().any(|change| matches!(change, KeyChange::Move { .. })) => Does::Move,
            _ => Does::Remove,
        }
    }

    /// Moves a key to another place, with its value.
    pub fn relocate(from: &str, to: &str) -> Self {
        let change = KeyChange::Move { from: from.to_owned(), to: to.to_owned() };
        let table = |key: &str| key.rsplit_once('.').map(|(table, _)| table.to_owned()).unwrap_or_default();
        let title = if table(from) == table(to) {
            format!("rename to `{}`", to.rsplit('.').next().unwrap_or(to))
        } else {
            format!("move to `{to}`")
        };
        Self::possible(title, vec![change])
    }

    /// Makes it certain.
    #[must_use]
    pub fn safe(self) -> Self {
        Self { applicability: Applicability::Safe, ..self }
    }

    /// Sets what the finding says if this repair is the one that works.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}
