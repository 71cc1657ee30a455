//! `cfg schema export`: the configs of a target as JSON Schemas.

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
};

use cfg_schema::{Kind, Target};

use crate::{Outcome, terminal, write};

pub(super) fn run(target: &Target, kind: Option<Kind>, folder: Option<&Path>) -> io::Result<Outcome> {
    let text = |kind| cfg_emit::json_schema_text(&cfg_emit::json_schema(target.schema(kind), &target.name));
    let Some(folder) = folder else {
        io::stdout().lock().write_all(text(kind.unwrap_or(Kind::Rl)).as_bytes())?;
        return Ok(Outcome::Clean);
    };
    let kinds = kind.map_or_else(|| Kind::ALL.to_vec(), |kind| vec![kind]);
    if let Err(error) = fs::create_dir_all(folder) {
        terminal::complain(&format!("{}: {error}", folder.display()));
        return Ok(Outcome::Failed);
    }
    for kind in kinds {
        let path = folder.join(format!("{kind}.json"));
        if let Err(error) = write::create(&path, text(kind).as_bytes()) {
            terminal::complain(&format!("{}: {error}", path.display()));
            return Ok(Outcome::Failed);
        }
        terminal::say(&format!("wrote {}", path.display()));
    }
    Ok(Outcome::Clean)
}
