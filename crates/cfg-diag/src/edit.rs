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
}

impl Proposal {
    /// A repair that is probable, but that the author has to confirm.
    pub fn possible(title: impl Into<String>, changes: Vec<KeyChange>) -> Self {
        Self { title: title.into(), applicability: Applicability::Unsafe, changes, help: None }
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
