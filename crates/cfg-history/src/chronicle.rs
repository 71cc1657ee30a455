//! What happened to prime-rl: commits, tags, and keys that moved.

/// The main line, the tags and the moves, in the order of their sections.
#[derive(Debug, Default)]
pub struct Chronicle {
    /// The main line, oldest first.
    pub commits: Vec<Commit>,
    /// All tags, in the order of PEP 440.
    pub tags: Vec<Tag>,
    /// Keys that moved, by their key and date.
    pub moves: Vec<Move>,
}

/// A commit of prime-rl's main line.
#[derive(Debug)]
pub struct Commit {
    /// Its hash: 40 digits.
    pub sha: String,
    /// In UTC: `2026-01-06T18:22:00Z`.
    pub date: String,
    /// The day that its author's clock showed, which `git log` and GitHub show as well.
    pub day: String,
    /// Index of the schema that holds at it.
    pub schema: u16,
    /// Whether the commit itself touched a config class.
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
    /// Index of the schema that holds at it.
    pub schema: u16,
}

/// What became of a key; the head of `schemas/moves.toml` says what each entry means.
#[expect(missing_docs, reason = "described where they are written")]
#[derive(Debug)]
pub struct Move {
    /// The kind, a colon, and the path with its variants left out.
    pub key: String,
    /// The path with its variants.
    pub from: String,
    /// `None` if it is before the history.
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
