//! From `schemas/history/*.schema`, `schemas/docs/*.docs` and `schemas/moves.toml` to the binary table that `cfg-schema` includes.

mod encode;
mod text;
mod tree;
mod types;

use std::fs;

pub(crate) use tree::{Node, Segment, segments};

use crate::{commits::Commits, docs, generate::root, moves};

/// The kinds, in the order of the table's roots; `cfg_schema::Kind` has the same order.
pub(crate) const KINDS: [&str; 5] = ["rl", "trainer", "orchestrator", "inference", "sft"];

/// Reads all the history and makes the table.
pub(crate) fn compile() -> Result<Vec<u8>, String> {
    let commits = Commits::read()?;
    let mut trees = Vec::new();
    for kind in KINDS {
        let path = format!("schemas/history/{kind}.schema");
        let source = fs::read_to_string(root().join(&path)).map_err(|error| format!("{path}: {error}"))?;
        let fields = text::parse(&source, &commits).map_err(|error| format!("{path}:{error}"))?;
        trees.push(tree::build(fields).map_err(|error| format!("{path}:{error}"))?);
    }
    encode::encode(&commits, &trees, &moves::read()?, &docs::read(&commits)?)
}
