//! `cfg hook install` and `cfg hook uninstall`.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use cfg_project::{HookFolder, hook_folder};

use crate::{
    Outcome,
    args::{Deny, HookInstall},
    commands::registry::place::shown,
    terminal,
};

/// The name of the hook that git asks before a commit.
const NAME: &str = "pre-commit";

/// The line by which a hook of ours is known.
const MARK: &str = "# Made by `cfg hook install`; `cfg hook uninstall` removes it.";

/// The words that run the check.
const CALL: &str = "cfg hook run";

pub(super) fn install(asked: &HookInstall) -> io::Result<Outcome> {
    let Some(folder) = folder() else { return Ok(Outcome::Failed) };
    let path = folder.path.join(NAME);
    let line = format!("{CALL}{} || exit 1", deny(asked.deny));
    if folder.is_of_all {
        terminal::complain(&format!(
            "core.hooksPath is set for all repositories, to {}, where a hook of this one has no place; nothing was installed",
            folder.path.display()
        ));
        terminal::note(&format!("a {NAME} hook there that is to check configs as well needs the line: {line}"));
        return Ok(Outcome::Failed);
    }
    let text = script(&program()?, asked.deny);
    let name = shown(&path);
    match found(&path)? {
        Found::Nothing => {
            write(&folder.path, &path, &text)?;
            terminal::say(&format!("{name}: git now checks what is staged before each commit"));
        }
        Found::Ours(old) if old == text && is_executable(&path) => terminal::say(&format!("{name} is there already")),
        Found::Ours(_) => {
            write(&folder.path, &path, &text)?;
            terminal::say(&format!("{name} was renewed"));
        }
        Found::Foreign { calls_us: true } => terminal::say(&format!("{name} runs `{CALL}` already, and was left alone")),
        Found::Foreign { calls_us: false } => {
            terminal::complain(&format!("{name} is a hook of somebody else and was left alone; nothing was installed"));
            terminal::note(&format!("to have it check configs as well, add this line to it: {line}"));
            if Path::new(".pre-commit-config.yaml").exists() {
                terminal::note(
                    "where it is that of the program `pre-commit`, name this repository's hooks in .pre-commit-config.yaml instead",
                );
            }
            return Ok(Outcome::Failed);
        }
    }
    Ok(Outcome::Clean)
}

pub(super) fn uninstall() -> io::Result<Outcome> {
    let Some(folder) = folder() else { return Ok(Outcome::Failed) };
    let path = folder.path.join(NAME);
    let name = shown(&path);
    match found(&path)? {
        Found::Ours(_) => {
            fs::remove_file(&path)?;
            terminal::say(&format!("{name} was removed"));
        }
        Found::Nothing => terminal::say(&format!("there is no {name}")),
        Found::Foreign { calls_us: true } => {
            terminal::complain(&format!(
                "{name} is a hook of somebody else and was left alone; its line with `{CALL}` is yours to remove"
            ));
            return Ok(Outcome::Failed);
        }
        Found::Foreign { calls_us: false } => terminal::say(&format!("{name} is a hook of somebody else and was left alone")),
    }
    Ok(Outcome::Clean)
}

/// Where the hook of this repository goes; complains where that can't be told.
fn folder() -> Option<HookFolder> {
    hook_folder(Path::new(".")).map_err(|error| terminal::complain(&format!("{error}, so no hook was touched"))).ok()
}

/// What lies where the hook goes.
enum Found {
    Nothing,
    /// What `cfg hook install` made, with its text.
    Ours(String),
    /// Anything else.
    Foreign {
        /// Whether it runs the check.
        calls_us: bool,
    },
}

fn found(path: &Path) -> io::Result<Found> {
    // A link is somebody's, also one that leads nowhere.
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Found::Nothing),
        Err(error) => Err(error),
        Ok(metadata) if metadata.is_dir() => Ok(Found::Foreign { calls_us: false }),
        Ok(metadata) => {
            let text = fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
            if metadata.is_file() && text.lines().any(|line| line == MARK) {
                return Ok(Found::Ours(text));
            }
            let calls_us = text.lines().any(|line| line.contains(CALL) && !line.trim_start().starts_with('#'));
            Ok(Found::Foreign { calls_us })
        }
    }
}

/// The program that is running.
fn program() -> io::Result<PathBuf> {
    std::env::current_exe()
}

/// The text of the hook. It runs the program that installed it, or, where that is gone, the one in the path.
fn script(program: &Path, denied: Option<Deny>) -> String {
    let program = quoted(&program.to_string_lossy());
    let words = format!("hook run{}", deny(denied));
    format!(
        "#!/bin/sh\n{MARK}\ncfg={program}\n[ -x \"$cfg\" ] || cfg=cfg\n\
        command -v \"$cfg\" >/dev/null 2>&1 || {{\n    \
        echo 'cfg is not installed any more, so what is staged was not checked: `git commit --no-verify` goes without' >&2\n    \
        exit 1\n}}\nexec \"$cfg\" {words}\n"
    )
}

fn deny(denied: Option<Deny>) -> &'static str {
    match denied {
        Some(Deny::Warnings) => " --deny warnings",
        None => "",
    }
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Writes the hook as a whole, or not at all.
fn write(folder: &Path, path: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
    let mut beside = builder.tempfile_in(folder)?;
    beside.write_all(text.as_bytes())?;
    beside.as_file().sync_all()?;
    beside.persist(path)?;
    Ok(())
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o100 != 0)
}

#[cfg(not(unix))]
fn is_executable(_: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_path_is_one_word_of_a_shell() {
        assert_eq!(quoted("/a b/c"), "'/a b/c'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
