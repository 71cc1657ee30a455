//! From `schemas/history/*.schema`, `schemas/docs/*.docs` and `schemas/moves.toml` to the binary table that `cfg-schema` includes.

use std::fs;

use cfg_history::{KINDS, chronicle::Chronicle};

use crate::{commits::Commits, docs, generate::root, moves};

/// Reads all the history and makes the table.
pub(crate) fn compile() -> Result<Vec<u8>, String> {
    let commits = Commits::read()?;
    let mut trees = Vec::new();
    for kind in KINDS {
        let path = format!("schemas/history/{kind}.schema");
        let source = fs::read_to_string(root().join(&path)).map_err(|error| format!("{path}: {error}"))?;
        let fields = cfg_history::parse(&source, &|sha| commits.schema_index(sha)).map_err(|error| format!("{path}:{error}"))?;
        trees.push(cfg_history::build(fields).map_err(|error| format!("{path}:{error}"))?);
    }
    let entries = docs::read(&commits)?;
    let sentences = docs::choose(&entries, &trees)?;
    let moves = moves::read(&commits)?;
    cfg_history::encode(&trees, &sentences, &Chronicle { commits: commits.main_line, tags: commits.tags, moves })
}
