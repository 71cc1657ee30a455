//! Finds a config or launch that completes a config that only overrides another: a launch in its comments or in the project's
//! scripts, or a config beside it.

use std::path::Path;

use cfg_compose::launches;
use cfg_diag::{Diagnostic, FileId};
use cfg_rules::Project;
use cfg_schema::Target;
use cfg_syntax::{Dialect, Document, Table, Value};
use cfg_system::{System, tidy};

use crate::{Checked, CheckedCommand, Command, CommandRequest, Session, Verdict, check_command, launched, overlay};

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
    /// The target, if the user states it.
    pub target: Option<&'a Target>,
    /// The settings of the project that rules use.
    pub project: Option<&'a Project>,
}

/// The result of checking an overlay together with the files that complete it.
pub struct Completed {
    /// The result for all files. Its verdict is not `ok`, because prime-rl refuses the overlay alone.
    pub command: CheckedCommand,
    /// The paths of the other files, in the order of the launch.
    pub bases: Vec<String>,
    /// The tables that it lacks alone, in words: "`trainer` or `orchestrator`"; empty if there are none.
    pub lacks: String,
}

/// The most keys of a file that is taken for an overlay although nothing says that it is one.
const MAX_KEYS: usize = 12;

/// The words of file names that say that a file overrides another one.
const NAMES: [&str; 8] = ["overlay", "overlays", "over", "override", "overrides", "delta", "patch", "mixin"];

/// The words of comments that say it.
const COMMENTS: [&str; 4] = ["overlay", "overrides", "on top of", "@ base"];

/// Checks an overlay together with the files that complete it: those of a launch that names it, or the only config beside it that completes it, if the
/// file says that it is an overlay or can be nothing else. `None` if it is to be judged alone. `alone` is its own result.
pub fn completed_by(part: Fragment<'_>, alone: &Checked) -> Option<Completed> {
    let Fragment { session, system, path, text, .. } = part;
    let projects = session.projects();
    for launch in projects.launches_of(system, Path::new(path), &launches(text)) {
        let mut words = vec![launch.kind.name().to_owned()];
        words.extend(launch.words.iter().cloned());
        let mut command = together(part, Command::Words(&words));
        if !command.checked.is_fragment() {
            launched::retain_certain(&launch, &mut command.checked.diagnostics);
            let others = command.files.iter().filter_map(|file| command.texts.get(*file)).map(|text| text.path.clone());
            let is_own = |other: &str| tidy(&system.absolute(Path::new(other))) == tidy(&system.absolute(Path::new(path)));
            let bases = others.filter(|other| !is_own(other)).collect();
            return Some(completed(command, bases, alone));
        }
    }
    // If it says which base it has, no other one is taken.
    if !may_be_overlay(part) || !missing_bases(path, text).is_empty() {
        return None;
    }
    let completing = projects.all_siblings(system, Path::new(path))?.into_iter().filter_map(|base| {
        let base = base.to_string_lossy().into_owned();
        let is_whole = |command: &CheckedCommand| !command.checked.is_fragment() && command.checked.kind.is_some();
        // Another overlay is no base.
        if !is_whole(&together(part, Command::Files(std::slice::from_ref(&base)))) {
            return None;
        }
        let command = together(part, Command::Files(&[base.clone(), path.to_owned()]));
        is_whole(&command).then_some((command, base))
    });
    // Faults of the base don't speak against it.
    let (suiting, refused): (Vec<_>, Vec<_>) = completing.partition(|(command, _)| !is_refused_itself(command, path));
    // If its kind is unclear, it may also be a config of its own.
    let mut fitting = if suiting.is_empty() && alone.kinds.is_empty() { refused } else { suiting };
    let (command, base) = if fitting.len() == 1 { fitting.pop()? } else { return None };
    Some(completed(command, vec![base], alone))
}

/// The other files of a command in the comments of a file that names it. Since no such command could be placed, some of them are missing.
pub(crate) fn missing_bases(path: &str, text: &str) -> Vec<String> {
    let name = Path::new(path).file_name();
    let is_own = |file: &str| Path::new(file).file_name() == name;
    let naming = launches(text).into_iter().find(|launch| launch.files().any(is_own) && !launch.files().all(is_own));
    naming.iter().flat_map(cfg_compose::WrittenLaunch::files).filter(|file| !is_own(file)).map(str::to_owned).collect()
}

/// Whether prime-rl refuses something in the overlay itself.
fn is_refused_itself(command: &CheckedCommand, path: &str) -> bool {
    let is_own = |found: &Diagnostic| {
        let text = found.location.and_then(|location| command.texts.get(location.file));
        text.is_some_and(|text| text.path == path)
    };
    command.checked.diagnostics.iter().any(|found| found.is_refusal() && is_own(found))
}

/// Whether a file can be an overlay of a config that nothing names: its name or a comment says so, or it has only a few keys, none of them of a
/// component.
fn may_be_overlay(part: Fragment<'_>) -> bool {
    let (document, _) = cfg_syntax::parse(FileId(0), part.text, Dialect::Toml11);
    let has_component = ["trainer", "orchestrator", "inference"]
        .iter()
        .any(|name| document.root.value(name).and_then(Value::as_table).is_some_and(|table| !table.entries.is_empty()));
    let is_part = !has_component && keys_of(&document.root) <= MAX_KEYS;
    is_part || says_overlay(part.path, part.text, &document)
}

/// Whether a file that lacks a table of the root is a whole config all the same, by what it has: keys of a component, and a model, an environment or many
/// other keys; and nothing says that it is an overlay.
pub(crate) fn is_whole(path: &str, text: &str) -> bool {
    let (document, _) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
    let root = &document.root;
    let component = |name: &str| root.value(name).and_then(Value::as_table).filter(|table| !table.entries.is_empty());
    let components: Vec<&Table> = ["trainer", "orchestrator", "inference"].iter().filter_map(|name| component(name)).collect();
    let names = |table: &Table| {
        let model = table.value("model").and_then(Value::as_table).is_some_and(|model| model.value("name").is_some());
        model || ["env", "train"].iter().any(|key| table.value(key).is_some())
    };
    let is_complete = || names(root) || components.iter().any(|table| names(table)) || keys_of(root) > MAX_KEYS;
    !components.is_empty() && is_complete() && !says_overlay(path, text, &document)
}

/// Whether the name of a file or one of its comments says that it overrides another one.
pub(crate) fn says_overlay(path: &str, text: &str, document: &Document) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    let comments = || document.comments.iter().filter_map(|comment| text.get(comment.range())).map(str::to_ascii_lowercase);
    name.trim_end_matches(".toml").split(['-', '_', '.']).any(|word| NAMES.contains(&word))
        || comments().any(|comment| COMMENTS.iter().any(|words| comment.contains(words)))
}

/// The number of keys with values in a table.
fn keys_of(table: &Table) -> usize {
    let of_value = |value: &Value| match value.as_table() {
        Some(inner) => keys_of(inner),
        None => value.items().iter().filter_map(Value::as_table).map(keys_of).sum::<usize>().max(1),
    };
    table.entries.iter().map(|entry| of_value(&entry.value)).sum()
}

/// The result for the files together: what prime-rl and the rules say of them, and that the overlay is not complete.
fn completed(mut command: CheckedCommand, bases: Vec<String>, alone: &Checked) -> Completed {
    let checked = &mut command.checked;
    checked.is_accepted_with_base = checked.is_accepted();
    if checked.verdict == Verdict::Ok {
        checked.verdict = Verdict::Depends;
    }
    if !bases.is_empty() {
        checked.diagnostics.insert(0, overlay::with_base(&bases, alone));
        checked.bases.clone_from(&bases);
    }
    Completed { command, bases, lacks: overlay::lacking(&alone.diagnostics) }
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
