//! `cfg hook install` and `cfg hook uninstall`.

use std::{
    io,
    path::{Path, PathBuf},
};

use cfg_project::{GitError, HookFolder, hook_folder};
use cfg_system::{Admission, Kind, NewMode, Role};

use crate::{
    CommandResult, Outcome,
    args::{Deny, HookInstall},
    context::Context,
};

/// The name of the git hook.
const NAME: &str = "pre-commit";

/// The line that identifies a hook that `cfg` installed.
const MARK: &str = "# Made by `cfg hook install`; `cfg hook uninstall` removes it.";

/// The command that runs the check.
const CALL: &str = "cfg hook run";

pub(in crate::commands) fn install(cx: &Context, asked: &HookInstall) -> CommandResult {
    let Some(folder) = folder(cx) else { return Ok(Outcome::Failed) };
    let path = folder.path.join(NAME);
    let line = format!("{CALL}{} || exit 1", deny(&asked.deny));
    if folder.is_of_all {
        cx.complain(&format!(
            "core.hooksPath is set globally to {}, which is shared by all repositories; nothing was installed",
            folder.path.display()
        ));
        cx.note(&format!("to check configs in a {NAME} hook there, add this line: {line}"));
        return Ok(Outcome::Failed);
    }
    if !folder.is_inside {
        cx.complain(&format!(
            "this repository's hooks are outside it, in {}, where other repositories may use them; nothing was installed",
            folder.path.display()
        ));
        return Ok(Outcome::Failed);
    }
    let text = script(&cx.host().own_program()?, &asked.deny);
    let name = cx.system.shown(&path);
    match existing_hook(cx, &path)? {
        ExistingHook::Nothing => {
            write(cx, &folder.path, &path, None, &text)?;
            cx.say(&format!("{name}: git now checks staged files before each commit"));
        }
        ExistingHook::Ours(old) if old == text && is_executable(cx, &path) => cx.say(&format!("{name} already exists")),
        ExistingHook::Ours(old) => {
            write(cx, &folder.path, &path, Some(&old), &text)?;
            cx.say(&format!("{name} was updated"));
        }
        ExistingHook::Foreign { calls_us: true } => cx.say(&format!("{name} already runs `{CALL}`, and was not changed")),
        ExistingHook::Foreign { calls_us: false } => {
            cx.complain(&format!("{name} was not made by cfg and was not changed; nothing was installed"));
            cx.note(&format!("to check configs, add this line to it: {line}"));
            if cx.system.exists(Path::new(".pre-commit-config.yaml")) {
                cx.note("if you use `pre-commit`, add cfg's hooks to .pre-commit-config.yaml instead");
            }
            return Ok(Outcome::Failed);
        }
    }
    super::driver::install(cx)
}

/// The path at which the hook would be installed, if the path is known and does not exist.
pub(in crate::commands) fn free_place(cx: &Context) -> Option<PathBuf> {
    let folder = hook_folder(&*cx.system, Path::new(".")).ok().filter(|folder| folder.is_inside && !folder.is_of_all)?;
    let path = folder.path.join(NAME);
    (!cx.system.is_there(&path)).then_some(path)
}

/// The path of an existing hook that does not run the check.
pub(in crate::commands) fn foreign_hook(cx: &Context) -> Option<PathBuf> {
    let folder = hook_folder(&*cx.system, Path::new(".")).ok().filter(|folder| folder.is_inside && !folder.is_of_all)?;
    let path = folder.path.join(NAME);
    let is_foreign = matches!(existing_hook(cx, &path), Ok(ExistingHook::Foreign { calls_us: false }));
    is_foreign.then_some(path)
}

/// Why git's hooks here are not a place where one may be installed, as a clause; `None` if they are.
pub(in crate::commands) fn obstacle(cx: &Context) -> Option<String> {
    match hook_folder(&*cx.system, Path::new(".")) {
        Err(GitError::Refused(why)) if why.contains("not a git repository") => {
            Some("this folder is in no git repository".to_owned())
        }
        Err(error) => Some(error.to_string()),
        Ok(folder) if folder.is_of_all => Some(format!(
            "core.hooksPath is set globally to {}, which is shared by all repositories (add the line `{CALL} || exit 1` to the {NAME} hook there)",
            folder.path.display()
        )),
        Ok(folder) if !folder.is_inside => Some(format!(
            "this repository's hooks are outside it, in {}, where other repositories may use them",
            folder.path.display()
        )),
        Ok(_) => None,
    }
}

pub(super) fn uninstall(cx: &Context) -> CommandResult {
    let Some(folder) = folder(cx) else { return Ok(Outcome::Failed) };
    let path = folder.path.join(NAME);
    let name = cx.system.shown(&path);
    match existing_hook(cx, &path)? {
        ExistingHook::Ours(_) => {
            cx.writer.remove(&path)?;
            super::driver::remove(cx);
            cx.say(&format!("{name} was removed"));
        }
        ExistingHook::Nothing => cx.say(&format!("{name} does not exist")),
        ExistingHook::Foreign { calls_us: true } => {
            cx.complain(&format!("{name} was not made by cfg and was not changed; remove its line with `{CALL}` yourself"));
            return Ok(Outcome::Failed);
        }
        ExistingHook::Foreign { calls_us: false } => cx.say(&format!("{name} was not made by cfg and was not changed")),
    }
    Ok(Outcome::Clean)
}

/// The folder for hooks of this repository; reports an error if it is unknown.
fn folder(cx: &Context) -> Option<HookFolder> {
    let folder = match hook_folder(&*cx.system, Path::new(".")) {
        Ok(folder) => folder,
        Err(error) => {
            cx.complain(&format!("{error}, so no hook was changed"));
            return None;
        }
    };
    if folder.is_inside {
        // The git folder of a linked work tree is outside the work tree.
        cx.system.admit(&folder.path, Admission::Alone);
    }
    Some(folder)
}

/// The existing file at the path of the hook.
enum ExistingHook {
    Nothing,
    /// A hook that `cfg hook install` has written, with its text.
    Ours(String),
    /// Any other file.
    Foreign {
        /// Whether it calls `cfg hook run`.
        calls_us: bool,
    },
}

fn existing_hook(cx: &Context, path: &Path) -> io::Result<ExistingHook> {
    // A link belongs to the user, even if its target does not exist.
    let kind = match cx.system.own_status(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(ExistingHook::Nothing),
        status => status?.kind,
    };
    let text = cx.system.read(path, Role::Hook).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    if kind == Kind::File && text.lines().any(|line| line == MARK) {
        return Ok(ExistingHook::Ours(text));
    }
    let calls_us = text.lines().any(|line| line.contains(CALL) && !line.trim_start().starts_with('#'));
    Ok(ExistingHook::Foreign { calls_us })
}

/// The text of the hook. It runs the program that installed it or, if that does not exist any more, the one in `PATH`.
fn script(program: &Path, denied: &[Deny]) -> String {
    let program = quoted(&program.to_string_lossy());
    let words = format!("hook run{}", deny(denied));
    format!(
        "#!/bin/sh\n{MARK}\ncfg={program}\n[ -x \"$cfg\" ] || cfg=cfg\n\
        command -v \"$cfg\" >/dev/null 2>&1 || {{\n    \
        echo 'cfg is no longer installed, so staged files were not checked; `git commit --no-verify` skips this' >&2\n    \
        exit 1\n}}\nexec \"$cfg\" {words}\n"
    )
}

fn deny(denied: &[Deny]) -> String {
    let word = |denied: &Deny| match denied {
        Deny::Warnings => " --deny warnings",
        Deny::Stale => " --deny stale",
    };
    denied.iter().map(word).collect()
}

/// A text, quoted as one word of a shell command.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Writes the hook, and replaces an `old` one that `cfg` installed.
fn write(cx: &Context, folder: &Path, path: &Path, old: Option<&str>, text: &str) -> io::Result<()> {
    cx.writer.create_folder(folder)?;
    if old.is_some() {
        // Written as a new file, because the mode of the old one may have been changed.
        cx.writer.remove(path)?;
    }
    cx.writer.create(path, text.as_bytes(), NewMode::Program)
}

fn is_executable(cx: &Context, path: &Path) -> bool {
    cx.system.status(path).is_ok_and(|status| status.is_program)
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_path_is_one_shell_word() {
        assert_eq!(quoted("/a b/c"), "'/a b/c'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
