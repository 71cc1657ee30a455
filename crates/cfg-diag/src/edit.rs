//! Repairs, as replacements of byte ranges.

use crate::Location;

/// Replaces the bytes at `location` by `new_text`. An empty range inserts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced.
    pub location: Location,
    /// What is there afterwards.
    pub new_text: String,
}

/// How sure a repair is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Applicability {
    /// It means what the author meant, or what prime-rl does already.
    Safe,
    /// It is likely, but changes what the config means; the author decides.
    Unsafe,
}

/// A repair of one diagnostic: edits that do not overlap and belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as an order: "rename to `seq_len`".
    pub title: String,
    /// How sure it is.
    pub applicability: Applicability,
    /// The replacements, in the order of the file.
    pub edits: Vec<Edit>,
}
