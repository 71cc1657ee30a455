//! `cfg generate skill`: instructions for coding assistants on how to use cfg, in the form of a skill file.

mod text;

use std::{
    io,
    path::{Path, PathBuf},
};

use cfg_registry::fingerprint::Digest;
use cfg_system::{NewMode, Role};

use crate::{
    CommandResult, Outcome,
    args::{SkillCommand, SkillInstall},
    context::Context,
};

/// The folders in which assistants look for a project's skills: Claude Code in the first; Codex, Gemini, Copilot, Cursor and others in the second.
const FOLDERS: [&str; 2] = [".claude/skills/cfg", ".agents/skills/cfg"];

/// The name of the file.
const FILE: &str = "SKILL.md";

/// The beginning of the last line, which is used to detect edits.
const SEAL: &str = "<!-- written by `cfg generate skill install`; sha256 of the above: ";

pub(crate) fn run(cx: &Context, command: &SkillCommand) -> CommandResult {
    match command {
        SkillCommand::Show => Ok(cx.print(text::skill().as_bytes()).map(|()| Outcome::Clean)?),
        SkillCommand::Install(install) => Ok(self::install(cx, install)),
    }
}

fn install(cx: &Context, words: &SkillInstall) -> Outcome {
    let new = sealed(&text::skill());
    let lines = new.lines().count();
    let mut outcome = Outcome::Clean;
    for folder in FOLDERS {
        let folder = words.folder.join(folder);
        let path = folder.join(FILE);
        let shown = path.strip_prefix(".").unwrap_or(&path).display();
        match write(cx, words, &folder, &path, &new) {
            Ok(Done::Current) => cx.say(&format!("{shown}: is up to date")),
            Ok(Done::Written) if words.dry_run => cx.say(&format!("{shown}: would be written, {lines} lines")),
            Ok(Done::Written) => cx.say(&format!("{shown}: written, {lines} lines; `cfg generate skill show` prints them")),
            Ok(Done::Changed) => {
                cx.complain(&format!("{shown}: was edited and is left unchanged; use --force to replace it"));
                outcome = if outcome == Outcome::Failed { outcome } else { Outcome::Found };
            }
            Err(error) => {
                cx.complain(&format!("{shown}: {error}"));
                outcome = Outcome::Failed;
            }
        }
    }
    outcome
}

/// What was done about a file.
enum Done {
    Current,
    Written,
    Changed,
}

fn write(cx: &Context, words: &SkillInstall, folder: &Path, path: &Path, new: &str) -> io::Result<Done> {
    // Links are not followed, because they may lead to another user's files.
    let parts =
        [PathBuf::from(path), folder.to_owned()].into_iter().chain(cfg_system::around(folder).skip(1).take(2).map(PathBuf::from));
    for part in parts {
        if cx.system.own_status(&part).is_ok_and(|status| status.kind == cfg_system::Kind::Link) {
            return Err(io::Error::other(format!("{} is a link; nothing was written", part.display())));
        }
    }
    let Some(old) = cx.system.read_if_there(path, Role::Config)? else {
        if !words.dry_run {
            let above: Vec<&Path> = cfg_system::around(folder).take(3).collect();
            above.into_iter().rev().try_for_each(|folder| cx.writer.create_folder(folder))?;
            cx.writer.create(path, new.as_bytes(), NewMode::Plain)?;
        }
        return Ok(Done::Written);
    };
    if old == new.as_bytes() {
        return Ok(Done::Current);
    }
    if !words.force && !is_sealed(&String::from_utf8_lossy(&old)) {
        return Ok(Done::Changed);
    }
    if !words.dry_run {
        cx.writer.replace(path, &old, new.as_bytes())?;
    }
    Ok(Done::Written)
}

/// A text with an additional last line, by which later edits are detected.
fn sealed(text: &str) -> String {
    format!("{text}{SEAL}{} -->\n", Digest::of(text.as_bytes()))
}

/// Whether a text is unchanged since a version of cfg wrote it.
fn is_sealed(text: &str) -> bool {
    text.find(SEAL).is_some_and(|at| sealed(&text[..at]) == text)
}

#[cfg(test)]
mod tests {
    use super::{is_sealed, sealed};

    #[test]
    fn a_change_breaks_the_seal() {
        let text = sealed("a\n");
        assert!(is_sealed(&text), "{text}");
        for changed in [text.replace('a', "b"), text.clone() + "\n", "a\n".to_owned(), format!("{text}{text}")] {
            assert!(!is_sealed(&changed), "{changed}");
        }
    }
}
