//! The files that prime-rl's launcher writes, in a folder.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use cfg_resolve::launcher::{self, LauncherFile, Notation};
use tempfile::NamedTempFile;

use super::Config;
use crate::{Outcome, terminal};

pub(super) fn run(config: &Config<'_>, folder: &Path, overwrite: bool) -> io::Result<Outcome> {
    let mut files = Vec::new();
    for file in launcher::files(config.resolved, config.kind(), config.point()) {
        let Some(path) = path_below(folder, &file.path) else {
            terminal::complain(&format!("{} is no name of a file", file.path));
            return Ok(Outcome::Failed);
        };
        let Some(text) = text_of(&file) else { return Ok(Outcome::Failed) };
        files.push((path, text));
    }
    let in_the_way = |(path, text): &&(PathBuf, String)| fs::read(path).is_ok_and(|there| there != text.as_bytes());
    let different: Vec<String> = files.iter().filter(in_the_way).map(|(path, _)| path.display().to_string()).collect();
    if !different.is_empty() && !overwrite {
        terminal::complain(&format!("{} would change, so nothing is written; --overwrite replaces", different.join(", ")));
        return Ok(Outcome::Failed);
    }
    match write(&files) {
        Ok(()) => {}
        Err((path, error)) => {
            terminal::complain(&format!("{} can't be written: {error}", path.display()));
            return Ok(Outcome::Failed);
        }
    }
    let mut out = io::stdout().lock();
    for (path, _) in &files {
        writeln!(out, "{}", cfg_report::one_line(&path.display().to_string()))?;
    }
    Ok(Outcome::Clean)
}

/// Writes all files beside their places first, and then moves them there: no reader finds half of one.
fn write(files: &[(PathBuf, String)]) -> Result<(), (PathBuf, io::Error)> {
    let mut ready = Vec::with_capacity(files.len());
    for (path, text) in files {
        let stage = || -> io::Result<NamedTempFile> {
            let folder = path.parent().unwrap_or_else(|| Path::new("."));
            fs::create_dir_all(folder)?;
            let mut file = tempfile::Builder::new().prefix(".cfg-").tempfile_in(folder)?;
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            readable(file.as_file())?;
            Ok(file)
        };
        ready.push((path, stage().map_err(|error| (path.clone(), error))?));
    }
    for (path, file) in ready {
        file.persist(path).map_err(|error| (path.clone(), error.error))?;
    }
    Ok(())
}

/// A temporary file is for its owner alone; a config is for whoever may read the folder.
#[cfg(unix)]
fn readable(file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable(_: &fs::File) -> io::Result<()> {
    Ok(())
}

/// The path of a file in the folder; nothing where a name would lead out of it.
fn path_below(folder: &Path, path: &str) -> Option<PathBuf> {
    let is_name = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', '\0']);
    path.split('/').all(is_name).then(|| folder.join(path))
}

/// The text of a file; complains where its notation has no form for one of its values.
fn text_of(file: &LauncherFile) -> Option<String> {
    if file.notation == Notation::Json {
        return Some(cfg_emit::json(&file.table));
    }
    let (text, unwritable) = cfg_emit::toml(&file.table);
    if let Some(value) = unwritable.first() {
        terminal::complain(&format!("{} can't be written: `{}` is {}", file.path, value.key, value.what));
        return None;
    }
    Some(text)
}
