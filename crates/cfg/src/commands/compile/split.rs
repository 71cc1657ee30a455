//! Writes the files of prime-rl's launcher to a folder.

use std::{
    io,
    path::{Path, PathBuf},
};

use cfg_resolve::launcher::{self, LauncherFile, Notation};
use cfg_system::{NewMode, Role};

use super::Config;
use crate::{CommandResult, Outcome, context::Context, write::put};

pub(super) fn run(cx: &Context, config: &Config<'_>, folder: &Path, overwrite: bool) -> CommandResult {
    if let Some(of) = config.checked.of_own_program() {
        cx.complain(&format!(
            "{} is a config {of}, for which prime-rl's launcher writes no files",
            cfg_diag::one_line(config.name)
        ));
        return Ok(Outcome::Failed);
    }
    let mut files = Vec::new();
    for file in launcher::files(config.resolved, config.kind(), config.point()) {
        let Some(path) = path_below(folder, &file.path) else {
            cx.complain(&format!("{} is not a valid file name", file.path));
            return Ok(Outcome::Failed);
        };
        let Some(text) = text_of(cx, &file) else { return Ok(Outcome::Failed) };
        files.push((path, text));
    }
    let in_the_way =
        |(path, text): &&(PathBuf, String)| cx.system.read(path, Role::Config).is_ok_and(|there| there != text.as_bytes());
    let different: Vec<String> = files.iter().filter(in_the_way).map(|(path, _)| path.display().to_string()).collect();
    if !different.is_empty() && !overwrite {
        cx.complain(&format!("{} would change, so nothing was written; use --overwrite to replace", different.join(", ")));
        return Ok(Outcome::Failed);
    }
    let sources: Vec<&Path> = config.input.command.texts.all().iter().map(|text| Path::new(&*text.path)).collect();
    match write(cx, &files, NewMode::PlainLike(&sources)) {
        Ok(()) => {}
        Err((path, error)) => {
            cx.complain(&format!("{} can't be written: {error}", path.display()));
            return Ok(Outcome::Failed);
        }
    }
    let names = files.iter().map(|(path, _)| format!("{}\n", cfg_diag::one_line(&path.display().to_string())));
    cx.print_view(&names.collect::<String>())?;
    Ok(Outcome::Clean)
}

/// Writes all files, each of them atomically; none if one of them is refused.
fn write(cx: &Context, files: &[(PathBuf, String)], mode: NewMode<'_>) -> Result<(), (PathBuf, io::Error)> {
    files.iter().try_for_each(|(path, _)| cx.writer.may_write(path).map_err(|error| (path.clone(), error)))?;
    for (path, text) in files {
        let folder = path.parent().unwrap_or_else(|| Path::new("."));
        let written = cx.writer.create_folder(folder).and_then(|()| put(&*cx.writer, path, Role::Config, mode, text.as_bytes()));
        written.map_err(|error| (path.clone(), error))?;
    }
    Ok(())
}

/// The path of a file in the folder; `None` if its name leads out of the folder.
fn path_below(folder: &Path, path: &str) -> Option<PathBuf> {
    let is_name = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', '\0']);
    path.split('/').all(is_name).then(|| folder.join(path))
}

/// The text of a file; reports an error if its format can't represent one of the values.
fn text_of(cx: &Context, file: &LauncherFile) -> Option<String> {
    if file.notation == Notation::Json {
        return Some(cfg_resolve::emit::json(&file.table));
    }
    let (text, unwritable) = cfg_resolve::emit::toml(&file.table);
    if let Some(value) = unwritable.first() {
        cx.complain(&format!("{} can't be written: `{}` is {}", file.path, value.key, value.what));
        return None;
    }
    Some(text)
}
