//! Reads `schemas/moves.toml`.

use std::fs;

use serde::Deserialize;

use crate::generate::root;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "move")]
    moves: Vec<Move>,
}

/// What became of a key; the head of the file says what each entry means.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Move {
    pub(crate) kind: String,
    pub(crate) from: String,
    pub(crate) to: Option<String>,
    pub(crate) to_kind: Option<String>,
    pub(crate) change: String,
    pub(crate) commit: String,
    pub(crate) date: Option<String>,
    pub(crate) pull_request: Option<u32>,
    pub(crate) automatic: String,
    pub(crate) when: Option<String>,
    pub(crate) value: String,
    pub(crate) note: Option<String>,
}

/// All moves, by kind and path and then by date.
pub(crate) fn read() -> Result<Vec<Move>, String> {
    let path = "schemas/moves.toml";
    let text = fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))?;
    let mut moves = toml::from_str::<File>(&text).map_err(|error| format!("{path}: {error}"))?.moves;
    moves.sort_by_cached_key(Move::key);
    Ok(moves)
}

impl Move {
    /// How a path is looked up: the kind, a colon, and the path with its variants left out.
    pub(crate) fn key(&self) -> String {
        let mut key = format!("{}:", self.kind);
        let mut rest = self.from.as_str();
        while let Some((before, after)) = rest.split_once('<') {
            key.push_str(before);
            rest = after.split_once('>').map_or("", |(_, after)| after);
        }
        key.push_str(rest);
        key
    }
}
