//! Reads `schemas/moves.toml`.

use std::{collections::BTreeSet, fs, path::Path};

use serde::Deserialize;

use cfg_schema::compiler::chronicle;

use crate::{commits::Commits, generate::root};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "move")]
    moves: Vec<Move>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Move {
    kind: String,
    from: String,
    to: Option<String>,
    to_kind: Option<String>,
    change: String,
    commit: String,
    date: Option<String>,
    pull_request: Option<u32>,
    automatic: String,
    when: Option<String>,
    value: String,
    note: Option<String>,
}

/// The keys that have an entry, each with its kind: `trainer:optim.betas1`.
pub(crate) fn places(schemas: &Path) -> Result<BTreeSet<String>, String> {
    let text = fs::read_to_string(schemas.join("moves.toml")).map_err(|error| format!("moves.toml: {error}"))?;
    let moves = toml::from_str::<File>(&text).map_err(|error| format!("moves.toml: {error}"))?.moves;
    Ok(moves.into_iter().map(|entry| format!("{}:{}", entry.kind, entry.from)).collect())
}

/// All moves, by kind and path and then by date.
pub(crate) fn read(commits: &Commits) -> Result<Vec<chronicle::Move>, String> {
    let path = "schemas/moves.toml";
    let text = fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))?;
    let mut moves = toml::from_str::<File>(&text).map_err(|error| format!("{path}: {error}"))?.moves;
    moves.sort_by_cached_key(Move::key);
    moves.into_iter().map(|entry| entry.dated(commits)).collect()
}

impl Move {
    fn dated(self, commits: &Commits) -> Result<chronicle::Move, String> {
        // A move before the history has a date instead of a schema commit.
        let point = match (commits.schema_index(&self.commit), &self.date) {
            (Ok(point), _) => Some(point),
            (Err(_), Some(_)) => None,
            (Err(message), None) => return Err(format!("moves.toml: `{}`: {message}", self.from)),
        };
        Ok(chronicle::Move {
            key: self.key(),
            from: self.from,
            point,
            to: self.to,
            to_kind: self.to_kind,
            change: self.change,
            commit: self.commit,
            date: self.date,
            pull_request: self.pull_request,
            automatic: self.automatic,
            when: self.when,
            value: self.value,
            note: self.note,
        })
    }

    /// The key for the lookup: the kind, a colon, and the path without variants.
    fn key(&self) -> String {
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
