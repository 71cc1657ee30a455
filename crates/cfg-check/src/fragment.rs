//! Finds a config or launch that completes a config that only overrides another: a launch in its comments or in the project's
//! scripts, or a config beside it.

use std::path::Path;

use cfg_compose::launches;
use cfg_diag::{Diagnostic, FileId};
use cfg_rules::Project;
use cfg_schema::Target;
use cfg_syntax::Dialect;
use cfg_system::System;

use crate::{CheckedCommand, Command, CommandRequest, Session, Verdict, check_command};

/// A config that is not complete.
#[derive(Clone, Copy)]
pub struct Fragment<'a> {
    /// The session for its surroundings.
    pub session: &'a Session,
    /// The system on which files are read.
    pub system: &'a dyn System,
    /// Its path, as the user wrote it.
    pub path: &'a str,
    /// Its text.
    pub text: &'a str,
    /// Whether it can't be checked alone.
    pub is_fragment: bool,
    /// The target, if the user states it.
    pub target: Option<&'a Target>,
    /// The settings of the project that rules use.
    pub project: Option<&'a Project>,
}

/// What completes it.
pub enum CompletedBy {
    /// A launch that names it, checked; or prime-rl's refusals of it together with a config beside it.
    Launch(Box<CheckedCommand>),
    /// A config in the same folder: prime-rl accepts the two together, but nothing states that they are used together.
    Base(String),
}

/// Finds what completes a fragment; `None` if nothing does.
pub fn completed_by(part: Fragment<'_>) -> Option<CompletedBy> {
    let Fragment { session, system, path, text, .. } = part;
    let projects = session.projects();
    for launch in projects.launches_of(system, Path::new(path), &launches(text)) {
        let mut words = vec![launch.kind.name().to_owned()];
        words.extend(launch.words);
        let mut checked = together(part, Command::Words(&words));
        if !checked.checked.is_fragment() {
            checked.checked.is_accepted_with_base = checked.checked.is_accepted();
            // prime-rl refuses the file alone, so the verdict is not `ok`.
            if checked.checked.verdict == Verdict::Ok {
                checked.checked.verdict = Verdict::Depends;
            }
            return Some(CompletedBy::Launch(Box::new(checked)));
        }
    }
    let mut faulty = None;
    for base in projects.siblings(system, Path::new(path)) {
        let base = base.to_string_lossy().into_owned();
        let mut both = together(part, Command::Files(&[base.clone(), path.to_owned()]));
        if both.checked.is_fragment() || both.checked.kind.is_none() {
            continue;
        }
        if both.checked.is_accepted() {
            return Some(CompletedBy::Base(base));
        }
        if part.is_fragment && faulty.is_none() && keep_own_refusals(&mut both, path) {
            faulty = Some(CompletedBy::Launch(Box::new(both)));
        }
    }
    faulty
}

/// Keeps only prime-rl's errors, and returns whether all of them are in this file. Findings of rules are dropped, because the two
/// files may not belong together.
fn keep_own_refusals(both: &mut CheckedCommand, path: &str) -> bool {
    both.checked.diagnostics.retain(|found| found.native.is_some());
    let is_own = |found: &Diagnostic| {
        let file = found.location.map(|location| location.file);
        file.and_then(|file| both.texts.get(file)).is_some_and(|text| text.path == path)
    };
    both.checked.diagnostics.iter().all(is_own)
}

/// Whether a config states its entrypoint in its metadata block.
pub fn states_kind(session: &Session, path: &str, text: &str) -> bool {
    if !text.contains("/// config") {
        return false;
    }
    let (document, _) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
    session.metadata(FileId(0), path, text, &document).0.kind.is_some()
}

fn together(part: Fragment<'_>, command: Command<'_>) -> CheckedCommand {
    let Fragment { session, system, target, project, .. } = part;
    check_command(session, &CommandRequest { command, environment: &[], kind: None, target: target.cloned(), project, system })
}
