//! `cfg registry merge`: merges registries and configs that two branches changed, as git's merge driver or after a merge that stopped.

mod by_hand;
mod config;
mod lines;
pub(super) mod stored;

use std::path::{Path, PathBuf};

use cfg_registry::{
    merge::{Side, merge},
    store::FILE_NAME,
};
use cfg_system::Role;

use super::config::Reader;
use crate::{CommandResult, Outcome, args::Merge, commands::hook::driver, context::Context};

pub(super) fn run(cx: &Context, asked: &Merge) -> CommandResult {
    if asked.install {
        return driver::install(cx);
    }
    match &asked.driver[..] {
        [base, ours, theirs, path] => drive(cx, [base, ours, theirs], path),
        _ => by_hand::run(cx, &asked.paths),
    }
}

/// The three texts of a file, and its name.
struct Texts<'a> {
    name: &'a str,
    base: &'a str,
    ours: &'a str,
    theirs: &'a str,
}

/// A merged file.
struct Merged {
    text: String,
    /// Why a person must look at it, if so.
    open: Option<String>,
}

/// Merges a file; the error is the reason why it can't be.
fn merged(cx: &Context, texts: &Texts<'_>) -> Result<Merged, String> {
    let name = texts.name;
    if Path::new(name).file_name().is_some_and(|name| name == FILE_NAME) {
        let looks_like_one = [texts.ours, texts.theirs].iter().all(|text| cfg_registry::registry::is_registry(text));
        if looks_like_one {
            let invalid = |side: Side| format!("{name} of {} is not a valid registry, so it was not merged", side.name());
            let done = merge(texts.base, texts.ours, texts.theirs).map_err(invalid)?;
            done.told.iter().for_each(|told| cx.note(&format!("{name}: {told}")));
            return Ok(Merged { text: done.text, open: None });
        }
    }
    let Some(reader) = Reader::new(cx) else { return Err("nothing was merged".to_owned()) };
    Ok(config::merged(&reader, texts))
}

/// Merges the file of a merge that git is making: `ours` gets the result.
fn drive(cx: &Context, files: [&PathBuf; 3], path: &Path) -> CommandResult {
    let name = path.to_string_lossy();
    let role = if path.file_name().is_some_and(|name| name == FILE_NAME) { Role::Registry } else { Role::Config };
    let mut texts = Vec::new();
    for file in files {
        let bytes = cx.system.read(file, role).map_err(|error| error.to_string());
        match bytes.and_then(|bytes| String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())) {
            Ok(text) => texts.push(text),
            Err(why) => {
                cx.complain(&format!("{name}: {why}"));
                return Ok(Outcome::Failed);
            }
        }
    }
    let [base, ours, theirs] = &texts[..] else { return Ok(Outcome::Failed) };
    match merged(cx, &Texts { name: &name, base, ours, theirs }) {
        Ok(merged) => {
            cx.writer.replace(files[1], ours.as_bytes(), merged.text.as_bytes())?;
            merged.open.iter().for_each(|why| cx.note(why));
            Ok(if merged.open.is_some() { Outcome::Found } else { Outcome::Clean })
        }
        Err(why) => {
            // The marks show both sides, as without this driver.
            let marked = lines::merge(lines::Touching::Conflict, base, ours, theirs);
            cx.writer.replace(files[1], ours.as_bytes(), marked.text.as_bytes())?;
            cx.complain(&why);
            Ok(Outcome::Failed)
        }
    }
}
