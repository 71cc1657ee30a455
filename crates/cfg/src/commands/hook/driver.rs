//! Lets git merge registries and configs with `cfg registry merge`: an entry in `.gitattributes`, and the command in git's configuration.

use std::{io, path::Path};

use cfg_project::{git_setting, remove_git_settings, set_git_setting, work_tree};
use cfg_system::{Admission, NewMode, Role};

use super::install::quoted;
use crate::{CommandResult, Outcome, context::Context};

/// The lines of `.gitattributes`. Without the command in git's configuration, git merges these files as any others.
const ATTRIBUTES: [&str; 2] = ["registry.json merge=cfg", "*.toml merge=cfg"];

/// The section of the settings.
const SECTION: &str = "merge.cfg";

/// The setting with the command.
const DRIVER: &str = "merge.cfg.driver";

/// The setting with its name in messages of git.
const NAME: &str = "merge.cfg.name";

/// Installs the merge driver in the repository around the current folder.
pub(in crate::commands) fn install(cx: &Context) -> CommandResult {
    let top = match work_tree(&*cx.system, Path::new(".")) {
        Ok(top) => top,
        Err(error) => {
            cx.complain(&format!("{error}, so git merges registries like any other file"));
            return Ok(Outcome::Failed);
        }
    };
    cx.system.admit(&top, Admission::Listed);
    let command = command(&cx.host().own_program()?);
    if git_setting(&*cx.system, &top, DRIVER).as_deref() != Some(&*command) {
        // git refuses to merge with a name that has no command.
        let settings = [(DRIVER, &*command), (NAME, "versions of configs, by cfg")];
        let set = settings.iter().try_for_each(|(name, value)| set_git_setting(&*cx.system, &top, name, value));
        if let Err(error) = set {
            cx.complain(&format!("{error}, so git merges registries like any other file"));
            return Ok(Outcome::Failed);
        }
        cx.say(&format!("git's configuration: {DRIVER} merges versions that two branches registered"));
    }
    let path = top.join(".gitattributes");
    match add_attributes(cx, &path) {
        Ok(false) => {}
        Ok(true) => cx.say(&format!("{}: commit it, so that every clone merges the same way", cx.system.shown(&path))),
        Err(error) => {
            cx.complain(&format!("{}: {error}; add these lines yourself: {}", path.display(), ATTRIBUTES.join(", ")));
            return Ok(Outcome::Failed);
        }
    }
    Ok(Outcome::Clean)
}

/// Whether the driver is installed in the repository around the current folder, or can't be, because there is none.
pub(in crate::commands) fn is_installed(cx: &Context) -> bool {
    let Ok(top) = work_tree(&*cx.system, Path::new(".")) else { return true };
    cx.system.admit(&top, Admission::Listed);
    let attributes = cx.system.text(&top.join(".gitattributes"), Role::Ignores).unwrap_or_default();
    git_setting(&*cx.system, &top, DRIVER).is_some() && lacking(&attributes).is_empty()
}

/// The lines that a `.gitattributes` lacks.
fn lacking(text: &str) -> Vec<&'static str> {
    let is_there = |line: &str| text.lines().any(|there| there.split_whitespace().eq(line.split(' ')));
    ATTRIBUTES.into_iter().filter(|line| !is_there(line)).collect()
}

/// Removes the command from git's configuration; with the lines of `.gitattributes` alone, git merges as usual.
pub(super) fn remove(cx: &Context) {
    if let Ok(top) = work_tree(&*cx.system, Path::new("."))
        && git_setting(&*cx.system, &top, DRIVER).is_some()
        && let Err(error) = remove_git_settings(&*cx.system, &top, SECTION)
    {
        cx.note(&format!("{error}, so {DRIVER} was not removed"));
    }
}

/// Adds the missing lines; returns whether there were any.
fn add_attributes(cx: &Context, path: &Path) -> io::Result<bool> {
    let old = cx.system.read_if_there(path, Role::Ignores)?;
    let mut text = String::from_utf8(old.clone().unwrap_or_default()).map_err(|_| io::Error::other("it is not UTF-8"))?;
    let missing = lacking(&text);
    if missing.is_empty() {
        return Ok(false);
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    missing.iter().for_each(|line| text += &format!("{line}\n"));
    match old {
        Some(old) => cx.writer.replace(path, &old, text.as_bytes())?,
        None => cx.writer.create(path, text.as_bytes(), NewMode::Plain)?,
    }
    Ok(true)
}

/// The command of the driver. Without the program, git's own merge of lines takes its place.
fn command(program: &Path) -> String {
    let program = quoted(&program.to_string_lossy());
    format!(
        "cfg={program}; [ -x \"$cfg\" ] || cfg=cfg; if command -v \"$cfg\" >/dev/null 2>&1; then \"$cfg\" registry merge \
         --driver %O %A %B %P; else git merge-file -L ours -L base -L theirs %A %O %B; fi"
    )
}
