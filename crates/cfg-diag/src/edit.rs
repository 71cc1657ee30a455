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
