//! `cfg registry init`: creates an empty registry.

use std::path::Path;

use cfg_registry::{
    registry::EMPTY,
    store::{Change, FILE_NAME, FOLDER, JOURNAL, Replace},
};

use super::open::{begin, commit};
use crate::{CommandResult, Outcome, context::Context};

pub(super) fn run(cx: &Context, folder: &Path) -> CommandResult {
    let path = cx.system.plain(folder).join(FILE_NAME);
    let name = cx.system.shown(&path);
    let fail = |message: &str| {
        cx.complain(message);
        Ok(Outcome::Failed)
    };
    if !cx.system.is_folder(folder) {
        return fail(&format!("{} is not a folder", folder.display()));
    }
    // An earlier command may have been interrupted while it created the registry; opening completes that.
    let journal = path.with_file_name(FOLDER).join(JOURNAL);
    if cx.system.is_there(&path) && !cx.system.is_there(&journal) {
        return fail(&format!("{name} already exists; nothing was changed"));
    }
    let Some(writer) = begin(cx, &path) else { return Ok(Outcome::Failed) };
    if cx.system.is_there(&path) {
        cx.say(&format!("{name} exists: an interrupted command was finished"));
        return Ok(Outcome::Clean);
    }
    let registry = Replace { path: path.clone(), old: None, new: Some(EMPTY.to_owned()) };
    let change = Change { what: format!("make {name}"), registry: Some(registry), ..Change::default() };
    if !commit(cx, &writer, &change) {
        return Ok(Outcome::Failed);
    }
    cx.say(&format!("created {name}; register existing configs with `cfg registry adopt`, or a single one with `cfg bump`"));
    Ok(Outcome::Clean)
}
