//! The events in prime-rl's history: commits, tags, and moves of keys.

/// The main line, the tags and the moves, in the order of the table's sections.
#[derive(Debug, Default)]
pub struct Chronicle {
    /// The main line, oldest first.
    pub commits: Vec<Commit>,
    /// All tags, in the order of PEP 440.
    pub tags: Vec<Tag>,
    /// Moves, by key and date.
    pub moves: Vec<Move>,
}

/// A commit of prime-rl's main line.
#[derive(Debug)]
pub struct Commit {
    /// Its hash: 40 digits.
    pub sha: String,
    /// In UTC: `2026-01-06T18:22:00Z`.
    pub date: String,
    /// The day in the author's time zone, as `git log` and GitHub show it.
    pub day: String,
    /// The index of the schema at this commit.
    pub schema: u16,
    /// Whether the commit itself changed a config class.
    pub touches_schema: bool,
    /// The pull request that it merged.
    pub pull_request: Option<u32>,
}

/// A tag of prime-rl.
#[derive(Debug)]
pub struct Tag {
    /// Its name without the leading `v`.
    pub name: String,
    /// Its commit's hash: 40 digits.
    pub sha: String,
    /// In UTC.
    pub date: String,
    /// The day of its commit.
    pub day: String,
    /// The index of the schema at its commit.
    pub schema: u16,
}

/// What became of a key; the head of `schemas/moves.toml` describes the entries.
#[expect(missing_docs, reason = "described where they are written")]
#[derive(Debug)]
pub struct Move {
    /// The kind, a colon, and the path without variants.
    pub key: String,
    /// The path with its variants.
    pub from: String,
    /// `None` if it is older than the history.
    pub point: Option<u16>,
    pub to: Option<String>,
    pub to_kind: Option<String>,
    pub change: String,
    pub commit: String,
    pub date: Option<String>,
    pub pull_request: Option<u32>,
    pub automatic: String,
    pub when: Option<String>,
    pub value: String,
    pub note: Option<String>,
}
