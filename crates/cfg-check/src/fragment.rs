//! Finds a config or launch that completes a config that only overrides another: a launch in its comments or in the project's
//! scripts, or a config beside it.

use std::{
    ffi::OsStr,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::Path,
    sync::PoisonError,
};

use cfg_compose::{WrittenLaunch, launches};
use cfg_diag::{Diagnostic, FileId};
use cfg_rules::Project;
use cfg_schema::{Kind, Target};
use cfg_syntax::{Dialect, Document, Table, Value};
use cfg_system::{Role, System, tidy};

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

/// The maximum number of files of which is kept whether they could be a base.
const MAX_KNOWN: usize = 10_000;

/// The words of file names that say that a file overrides another one.
const NAMES: [&str; 8] = ["overlay", "overlays", "over", "override", "overrides", "delta", "patch", "mixin"];

/// The words of names of folders that say it of the files in them.
const FOLDERS: [&str; 4] = ["overlay", "overlays", "override", "overrides"];

/// The words of comments that say it.
const COMMENTS: [&str; 4] = ["overlay", "overrides", "on top of", "@ base"];

/// Checks a part of a config together with the files that complete it. If nothing shows which these are, only what holds whatever they contain stays in
/// the result `alone` of the file, unless it is rather a config of its own that lacks a table.
pub fn complete(part: Fragment<'_>, alone: &mut Checked) -> Option<Completed> {
    let completed = completed_by(part, alone);
    if completed.is_none() && alone.is_fragment() && overrides_another(part, alone) {
        alone.leave_open(part.path, &missing_bases(part.path, part.text));
    }
    completed
}

/// Checks an overlay together with the files that complete it: those of a launch that names it, or the only config beside it that completes it, if the
/// file says that it is an overlay or has too little to be a config of its own. `None` if it is to be judged alone. `alone` is its own result.
pub fn completed_by(part: Fragment<'_>, alone: &Checked) -> Option<Completed> {
    let Fragment { session, system, path, text, .. } = part;
    let projects = session.projects();
    let placed = projects.launches_of(system, Path::new(path), &launches(text));
    let moved = placed.is_empty().then(|| of_moved_files(part)).flatten();
    for launch in placed.into_iter().chain(moved) {
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
        // Another overlay is no base.
        complete_kind(part, &base)?;
        let command = together(part, Command::Files(&[base.clone(), path.to_owned()]));
        is_complete(&command.checked).then_some((command, base))
    });
    // Faults of the base don't speak against it.
    let (suiting, refused): (Vec<_>, Vec<_>) = completing.partition(|(command, _)| !is_refused_itself(command, path));
    // If its kind is unclear, it may also be a config of its own.
    let mut fitting = if suiting.is_empty() && alone.kinds.is_empty() { refused } else { suiting };
    let (command, base) = if fitting.len() == 1 { fitting.pop()? } else { return None };
    Some(completed(command, vec![base], alone))
}

/// Whether a config could be the base of another one.
fn is_complete(checked: &Checked) -> bool {
    !checked.is_fragment() && checked.kind.is_some()
}

/// The kind of a file next to a part of a config, if it could be a base. Each such file is checked once, whatever number of parts is next to it.
fn complete_kind(part: Fragment<'_>, file: &str) -> Option<Kind> {
    let Fragment { session, system, target, .. } = part;
    let text = system.text(Path::new(file), Role::Config)?;
    let mut number = DefaultHasher::new();
    (system.absolute(Path::new(file)), &text, target.map(|target| &target.name)).hash(&mut number);
    let number = number.finish();
    let known = || session.complete.lock().unwrap_or_else(PoisonError::into_inner);
    let found = known().get(&number).copied();
    found.unwrap_or_else(|| {
        let checked = together(part, Command::Files(&[file.to_owned()])).checked;
        let kind = checked.kind.filter(|_| is_complete(&checked));
        let mut known = known();
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(number, kind);
        kind
    })
}

/// Whether a file that lacks tables, and whose base nothing shows, is an override rather than a config with a forgotten table: it lacks more than one, it
/// says so, it only has environments, or there are complete configs of its kind in its folder or the one above.
fn overrides_another(part: Fragment<'_>, alone: &Checked) -> bool {
    let Fragment { session, system, path, text, .. } = part;
    let (document, _) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
    if is_whole(part, &document) {
        return false;
    }
    let says_it =
        || says_overlay(part, &document) || has_only_environments(&document.root) || !missing_bases(path, text).is_empty();
    let path = Path::new(path);
    let above = || path.parent().and_then(Path::parent).zip(path.file_name()).map(|(folder, name)| folder.join(name));
    let is_base = |file: &Path| complete_kind(part, &file.to_string_lossy()).is_some_and(|kind| alone.kind == Some(kind));
    let is_beside = |file: &Path| session.projects().siblings(system, file).iter().any(|other| is_base(other));
    !overlay::lacks_one(&alone.diagnostics) || says_it() || is_beside(path) || above().is_some_and(|file| is_beside(&file))
}

/// A command in the comments of a file that names it with others.
fn written_with_others(path: &str, text: &str) -> Option<WrittenLaunch> {
    let is_own = |file: &str| has_same_name(file, path);
    launches(text).into_iter().find(|launch| launch.files().any(is_own) && !launch.files().all(is_own))
}

fn has_same_name(one: &str, other: &str) -> bool {
    Path::new(one).file_name() == Path::new(other).file_name()
}

/// The other files of a command in the comments of a file that names it. Since no such command could be placed, some of them are missing.
pub(crate) fn missing_bases(path: &str, text: &str) -> Vec<String> {
    let naming = written_with_others(path, text);
    naming.iter().flat_map(WrittenLaunch::files).filter(|file| !has_same_name(file, path)).map(str::to_owned).collect()
}

/// The command in the comments of a file, with the paths that its files have now: they were copied together into another folder.
fn of_moved_files(part: Fragment<'_>) -> Option<WrittenLaunch> {
    let Fragment { system, path, text, .. } = part;
    let launch = written_with_others(path, text)?;
    let own = Path::new(path);
    let beside = |file: &str| own.with_file_name(Path::new(file).file_name().unwrap_or_default());
    let all_there = launch.files().all(|file| has_same_name(file, path) || system.is_file(&beside(file)));
    all_there.then(|| launch.with_files(|file| beside(file).to_string_lossy().into_owned()))
}

/// Whether prime-rl refuses something in the overlay itself.
fn is_refused_itself(command: &CheckedCommand, path: &str) -> bool {
    let is_own = |found: &Diagnostic| {
        let text = found.location.and_then(|location| command.texts.get(location.file));
        text.is_some_and(|text| text.path == path)
    };
    command.checked.diagnostics.iter().any(|found| found.is_refusal() && is_own(found))
}

/// Whether a file can be an overlay of a config that nothing names: its name or a comment says so, or it has only a few keys, and none that make it a
/// config of its own.
fn may_be_overlay(part: Fragment<'_>) -> bool {
    let (document, _) = cfg_syntax::parse(FileId(0), part.text, Dialect::Toml11);
    let is_part = || keys_of(&document.root) <= MAX_KEYS && !is_whole(part, &document);
    is_part() || has_only_environments(&document.root) || says_overlay(part, &document)
}

/// Whether a file that lacks a table of the root is a whole config all the same, by what it has: keys of a component, and a model, an environment or many
/// other keys; and nothing says that it is an overlay.
fn is_whole(part: Fragment<'_>, document: &Document) -> bool {
    let root = &document.root;
    let component = |name: &str| root.value(name).and_then(Value::as_table).filter(|table| !table.entries.is_empty());
    let components: Vec<&Table> = ["trainer", "orchestrator", "inference"].iter().filter_map(|name| component(name)).collect();
    let names = |table: &Table| {
        let model = table.value("model").and_then(Value::as_table).is_some_and(|model| model.value("name").is_some());
        model || ["env", "train"].iter().any(|key| table.value(key).is_some())
    };
    let is_complete = || names(root) || components.iter().any(|table| names(table)) || keys_of(root) > MAX_KEYS;
    !components.is_empty() && !has_only_environments(root) && is_complete() && !says_overlay(part, document)
}

/// Whether a file has environments and nothing else, for any model: newer examples of prime-rl are divided like this.
fn has_only_environments(root: &Table) -> bool {
    let is_of_environments = |name: &str| matches!(name, "train" | "eval" | "env");
    match &root.entries[..] {
        [only] if &*only.key.text == "orchestrator" => only.value.as_table().is_some_and(|table| {
            !table.entries.is_empty() && table.entries.iter().all(|entry| is_of_environments(&entry.key.text))
        }),
        _ => false,
    }
}

/// Whether the name of a file or its folder, or one of its comments, says that it overrides another one.
fn says_overlay(part: Fragment<'_>, document: &Document) -> bool {
    let Fragment { system, path, text, .. } = part;
    let place = system.absolute(Path::new(path));
    let word_in = |name: Option<&OsStr>, words: &[&str]| {
        let name = name.unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        name.trim_end_matches(".toml").split(['-', '_', '.']).any(|word| words.contains(&word))
    };
    let comments = || document.comments.iter().filter_map(|comment| text.get(comment.range())).map(str::to_ascii_lowercase);
    word_in(place.file_name(), &NAMES)
        || word_in(place.parent().and_then(Path::file_name), &FOLDERS)
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
