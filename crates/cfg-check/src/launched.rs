//! Checks what the scripts of a project start: several configs together, or a config with flags. What is found is reported with the files of the launch.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use cfg_compose::{Texts, WrittenLaunch};
use cfg_diag::{Diagnostic, FileId, Severity, Span, codes, is_within};
use cfg_project::PlacedLaunch;
use cfg_rules::{Project, split::PARTS};
use cfg_schema::{Kind, Target};
use cfg_system::{System, tidy};

use crate::{Checked, CheckedCommand, Command, CommandRequest, Session, Verdict, command::Written, overlay, split};

/// The tables and keys of the root that say where a run writes and how it is named: an unknown value of one changes nothing else.
const WITHOUT_EFFECT: [&str; 7] = ["output_dir", "wandb", "log", "slurm", "job_name", "run_name", "experiment_name"];

/// The surroundings in which a launch is checked.
#[derive(Clone, Copy)]
pub struct LaunchRequest<'a> {
    /// The session.
    pub session: &'a Session,
    /// The system on which its files are read.
    pub system: &'a dyn System,
    /// The target, if the user states it.
    pub target: Option<&'a Target>,
    /// The settings of the project that rules use.
    pub project: Option<&'a Project>,
    /// The names of files in messages.
    pub name: &'a dyn Fn(&Path) -> String,
}

/// A checked launch.
pub struct LaunchCheck {
    /// The launch.
    pub placed: Arc<PlacedLaunch>,
    /// The result. Its first text is that of the script.
    pub command: CheckedCommand,
    /// Whether parts of the command are known only when it runs, so that only the keys of its files were checked.
    pub is_open: bool,
    /// Whether prime-rl refuses a flag, so that no rule looked at its files together.
    pub is_refused: bool,
    /// The paths of its texts from the root of the file system, in the order of their numbers.
    paths: Vec<PathBuf>,
    /// What was found at the flags of a command in a comment: the codes, with the keys.
    unplaced: Vec<FoundKey>,
}

/// The code and the key of a finding.
type FoundKey = (&'static str, Option<String>);

/// The launches of a config.
#[derive(Default)]
pub struct Launches {
    /// Those that start it with others, or with flags.
    pub checks: Vec<Arc<LaunchCheck>>,
    /// Whether one starts it as it is, or passes it as the config of a component: what is wrong with it alone counts.
    pub is_started_alone: bool,
}

/// The file whose findings are reported, with the result of checking it alone.
pub struct Own<'a> {
    /// Its path from the root of the file system.
    pub place: &'a Path,
    /// Its path, as the user wrote it.
    pub path: &'a str,
    /// The result, whose texts are `texts`; `None` for a script.
    pub alone: Option<Checked>,
    /// Its own text and those of the files that it includes.
    pub texts: Texts,
}

/// How a launch uses a config.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchUse {
    /// prime-rl reads it together with other files or flags.
    Together,
    /// It is the whole config.
    Alone,
    /// It is the config of a component (`--trainer @ FILE`): prime-rl reads it alone, and then checks all components together.
    Component,
    /// It says nothing about the config.
    None,
}

/// How a launch uses the config `file`, of which `alone` is the result of checking it alone.
pub fn use_of(placed: &PlacedLaunch, file: &Path, alone: &Checked) -> LaunchUse {
    let tables: Vec<Option<&str>> =
        placed.files.iter().zip(placed.launch.tables()).filter_map(|(named, table)| (named == file).then_some(table)).collect();
    let is_root = tables.iter().any(Option::is_none);
    let is_component = |table: &str| PARTS.iter().any(|kind| kind.name() == table);
    // A complete config of another entrypoint is read by a wrapper of its own, if at all.
    let is_of_another = alone.kind.is_some_and(|kind| kind != placed.launch.kind) && !alone.is_part();
    if !is_root && placed.launch.kind == Kind::Rl && tables.iter().flatten().any(|table| is_component(table)) {
        LaunchUse::Component
    } else if placed.is_plain() || !is_root || is_of_another && alone.is_config {
        LaunchUse::Alone
    } else if placed.launch.kind.is_run() {
        LaunchUse::Together
    } else {
        LaunchUse::None
    }
}

/// Checks a launch. `script` is the text in which it is written.
pub fn check_launch(request: LaunchRequest<'_>, placed: &Arc<PlacedLaunch>, script: &str) -> LaunchCheck {
    let LaunchRequest { session, system, target, project, name } = request;
    let launch = placed.named(name);
    let path = name(&placed.script);
    // The comments of a config are not its text, so nothing is shown in them.
    let text = if placed.is_comment { "" } else { script };
    let written = Written { path: &path, text, launch: &launch };
    let request = CommandRequest {
        command: Command::Written(written),
        environment: &[],
        kind: None,
        target: target.cloned(),
        project,
        system,
    };
    let mut command = crate::check_command(session, &request);
    let is_open = is_open(&placed.launch);
    let checked = &mut command.checked;
    let is_refused = checked.diagnostics.iter().any(|found| found.code == &codes::UNUSABLE_ARGUMENT);
    let is_placed = |found: &Diagnostic| has_place(found, placed);
    let at_flags = checked.diagnostics.iter().filter(|found| is_at_flag(found) && !is_placed(found));
    let unplaced = at_flags.map(|found| (found.code.code, found.key.clone())).collect();
    checked.diagnostics.retain(is_placed);
    retain_certain(&placed.launch, &mut checked.diagnostics);
    if !placed.launch.unknown.is_empty()
        && !checked.diagnostics.iter().any(Diagnostic::is_refusal)
        && checked.verdict != Verdict::Ok
    {
        checked.verdict = Verdict::Depends;
    }
    let shown: Vec<String> = placed.files.iter().map(|file| name(file)).collect();
    let whole = |text: &cfg_compose::Text| {
        let at = shown.iter().position(|name| *name == text.path).filter(|_| text.file != FileId(0));
        at.map_or_else(|| tidy(&system.absolute(Path::new(&text.path))), |at| placed.files[at].clone())
    };
    let paths = command.texts.all().iter().map(whole).collect();
    // A large script may have a thousand launches, of which each would keep it.
    if command.checked.diagnostics.is_empty() {
        command.texts.free(FileId(0));
    }
    LaunchCheck { placed: Arc::clone(placed), command, is_open, is_refused, paths, unplaced }
}

/// Whether words that only a shell knows may be any arguments, or set something on which other values depend. What a script passes on (`"$@"`) is empty
/// unless someone adds something.
fn is_open(launch: &WrittenLaunch) -> bool {
    let is_passed_on = |word: &str| matches!(word, "$@" | "$*" | "${@}" | "${*}") || word.starts_with("${@:");
    let is_without_effect = |word: &str| {
        let first = key_of(word).and_then(|key| key.split('.').next().map(str::to_owned));
        first.is_some_and(|first| WITHOUT_EFFECT.contains(&&*first))
    };
    launch.unknown.iter().any(|word| !is_passed_on(word) && !is_without_effect(word))
}

/// The dotted key that a flag sets.
fn key_of(flag: &str) -> Option<String> {
    flag.strip_prefix("--").map(|key| key.replace('-', "_"))
}

/// Drops the findings that may not hold, because words of the launch are known only when it runs.
pub(crate) fn retain_certain(launch: &WrittenLaunch, diagnostics: &mut Vec<Diagnostic>) {
    if launch.unknown.is_empty() {
        return;
    }
    let set: Vec<String> = launch.unknown.iter().filter_map(|word| key_of(word)).collect();
    let is_set = |key: &str| set.iter().any(|set| is_within(key, set) || is_within(set, key));
    let is_open = is_open(launch);
    diagnostics.retain(|found| {
        found.code != &codes::MISSING_KEY
            && !found.key.as_deref().is_some_and(is_set)
            && (!is_open || overlay::holds_for_any_base(found))
    });
}

/// Whether a finding is in the command itself.
fn is_at_flag(found: &Diagnostic) -> bool {
    found.location.is_some_and(|at| at.file == FileId(0))
}

/// Whether a finding has a place to which it belongs.
fn has_place(found: &Diagnostic, placed: &PlacedLaunch) -> bool {
    !(is_at_flag(found) && placed.is_comment) && found.code != &codes::UNKNOWN_BASE
}

impl LaunchCheck {
    /// The same, without the text of the script, which the report has anyhow.
    #[must_use]
    pub fn without_script(mut self) -> Self {
        self.command.texts.free(FileId(0));
        self
    }
}

/// The ignore comments that ignore nothing of a file that is checked alone. What the registry says of a file, it says of the file alone.
struct UnusedAlone(HashSet<Span>);

impl UnusedAlone {
    fn of(alone: &Checked) -> Self {
        let unused = alone.diagnostics.iter().filter(|found| found.code == &codes::UNUSED_SUPPRESSION);
        Self(unused.filter_map(|found| Some(found.location?.span)).collect())
    }

    fn has(&self, found: &Diagnostic) -> bool {
        found.location.is_some_and(|location| self.0.contains(&location.span))
    }
}

impl Launches {
    /// Whether the config is only used as a part: what it lacks alone is no fault. `is_part` says whether it lacks anything; one that does not is judged
    /// alone too if prime-rl refuses the flags of each launch.
    pub fn is_only_part(&self, is_part: bool) -> bool {
        !self.is_started_alone && self.checks.iter().any(|check| !check.is_open && (is_part || !check.is_refused))
    }

    /// The tables that a file lacks alone, in words.
    pub fn lacking(alone: &Checked) -> String {
        overlay::lacking(&alone.diagnostics)
    }

    /// Combines the result of checking a file alone with those of its launches. `is_reported` says whether a finding of a launch is reported with this
    /// file, by the place of the file in which it is; `None` if it is in none. `None` for a script without launches.
    pub fn combine(&self, own: Own<'_>, is_reported: &dyn Fn(&LaunchCheck, Option<&Path>) -> bool) -> Option<(Checked, Texts)> {
        let Own { place, path, alone, mut texts } = own;
        let is_only_part = alone.as_ref().is_none_or(|alone| self.is_only_part(alone.is_part()));
        let unused_alone = alone.as_ref().map(UnusedAlone::of);
        let alone = alone.or_else(|| Some(self.checks.first()?.command.checked.as_before()))?;
        let mut seen: HashSet<Key> = HashSet::new();
        let mut found: Vec<Diagnostic> = Vec::new();
        let is_part = alone.is_part();
        let first = self.checks.iter().min_by_key(|check| (check.is_open, check.is_refused)).filter(|_| is_only_part);
        let bases = first.map_or_else(Vec::new, |check| check.others(place));
        found.extend(first.and_then(|check| check.with_base(place, &alone)));
        let (mut checked, own_findings) = match first {
            Some(check) => {
                // What is at a flag in a comment can only be shown in the file.
                let kept = |found: &Diagnostic| {
                    let code = found.code.code;
                    code.starts_with("PRL7")
                        || found.code == &codes::INVALID_METADATA
                        || check.unplaced.contains(&(code, found.key.clone()))
                };
                let mut checked = self.as_part(&check.command.checked, is_part);
                checked.bases = bases;
                (checked, alone.diagnostics.into_iter().filter(kept).collect::<Vec<_>>())
            }
            None => {
                let mut alone = alone;
                let own_findings = std::mem::take(&mut alone.diagnostics);
                (alone, own_findings)
            }
        };
        let everywhere = |one: &Diagnostic| self.checks.iter().all(|check| check.has_in(place, one));
        for one in own_findings {
            if (one.code != &codes::UNUSED_SUPPRESSION || everywhere(&one)) && !self.is_refused_instead(place, &one) {
                seen.insert(key(&one));
                found.push(one);
            }
        }
        for check in self.checks.iter().filter(|check| !check.command.checked.diagnostics.is_empty()) {
            let ids = check.ids_in(&mut texts, place, path);
            for one in &check.command.checked.diagnostics {
                let in_file = one.location.and_then(|at| check.place_of(at.file));
                let is_of_alone = || in_file == Some(place) && unused_alone.as_ref().is_some_and(|alone| !alone.has(one));
                let is_unused = one.code == &codes::UNUSED_SUPPRESSION && (!is_only_part || !everywhere(one) || is_of_alone());
                let is_of_flags = !is_only_part && check.may_follow_from_flags(one) || check.is_overridden_by_flag(one);
                let is_of_target = one.code == &codes::OTHER_TARGET_FITS && !is_only_part;
                if is_unused || is_of_flags || is_of_target || !is_reported(check, in_file) {
                    continue;
                }
                let one = renumbered(one, &|file| ids.get(file.0 as usize).copied().unwrap_or(file));
                if seen.insert(key(&one)) {
                    if one.is_refusal() {
                        checked.verdict = Verdict::Rejected;
                    }
                    found.push(one);
                }
            }
        }
        checked.diagnostics = found;
        Some((checked, texts))
    }

    /// Whether a contradiction between two files of a run, which a file alone shows, is refused by prime-rl itself where a launch passes both.
    pub fn is_refused_instead(&self, own: &Path, one: &Diagnostic) -> bool {
        split::is_of_two_files(one) && self.checks.iter().any(|check| check.refuses_at(own, one))
    }

    /// The result for a file that is only started with others, without findings yet.
    fn as_part(&self, first: &Checked, is_part: bool) -> Checked {
        let mut checked = first.as_before();
        let all = || self.checks.iter().map(|check| &check.command.checked);
        checked.kind = first.kind;
        checked.kinds.clone_from(&first.kinds);
        checked.is_accepted_with_base = all().all(Checked::is_accepted);
        checked.verdict = match () {
            () if all().any(|other| other.verdict == Verdict::Rejected) => Verdict::Rejected,
            () if is_part || all().any(|other| other.verdict == Verdict::Depends) => Verdict::Depends,
            () => Verdict::Ok,
        };
        checked
    }
}

impl LaunchCheck {
    /// The names of the files other than one, in the order of the command.
    fn others(&self, own: &Path) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for text in self.command.files.iter().filter_map(|file| self.command.texts.get(*file)) {
            if self.place_of(text.file).is_some_and(|place| place != own) && !names.contains(&text.path) {
                names.push(text.path.clone());
            }
        }
        names
    }

    /// The finding that a file, of which `alone` is the result of checking it alone, was checked together with the others; `None` if it is whole.
    pub fn with_base(&self, own: &Path, alone: &Checked) -> Option<Diagnostic> {
        let bases = self.others(own);
        (alone.is_part() && !bases.is_empty()).then(|| overlay::with_base(&bases, alone))
    }

    /// The path of one of its texts from the root of the file system.
    pub fn place_of(&self, file: FileId) -> Option<&Path> {
        self.paths.get(file.0 as usize).map(PathBuf::as_path)
    }

    /// Whether it has the same finding at the same place of a file.
    fn has_in(&self, own: &Path, one: &Diagnostic) -> bool {
        let span = one.location.map(|at| at.span);
        self.command.checked.diagnostics.iter().any(|other| {
            let is_here = other.location.and_then(|at| self.place_of(at.file)).is_some_and(|place| place == own);
            is_here && other.code == one.code && other.location.map(|at| at.span) == span
        })
    }

    /// Whether prime-rl would come to a finding only without the flags that it refuses: with others in their place, it may not exist.
    pub fn may_follow_from_flags(&self, one: &Diagnostic) -> bool {
        self.is_refused && !is_at_flag(one) && one.native.as_ref().is_some_and(|native| native.masked)
    }

    /// Whether a value of a component has no effect because a flag replaces it, which is what flags are for.
    pub fn is_overridden_by_flag(&self, one: &Diagnostic) -> bool {
        self.placed.launch.is_of_components()
            && one.severity < Severity::Error
            && one.related.iter().any(|related| related.location.file == FileId(0))
    }

    /// Whether prime-rl refuses what is at the place of a finding of a file, now or once other errors are fixed.
    fn refuses_at(&self, own: &Path, one: &Diagnostic) -> bool {
        let span = one.location.map(|at| at.span);
        self.command.checked.diagnostics.iter().any(|other| {
            let is_here = other.location.and_then(|at| self.place_of(at.file)).is_some_and(|place| place == own);
            is_here && other.native.is_some() && other.location.map(|at| at.span) == span
        })
    }

    /// The numbers that its texts have among other texts, to which those that are not there yet are added.
    fn ids_in(&self, texts: &mut Texts, own: &Path, path: &str) -> Vec<FileId> {
        let id = |text: &cfg_compose::Text, texts: &mut Texts| {
            // The comment in which a launch is written has no text of its own, and the config around it may be among the texts.
            if self.placed.is_comment && text.file == FileId(0) {
                return FileId(0);
            }
            let name = if self.place_of(text.file).is_some_and(|place| place == own) { path } else { &text.path };
            let known = texts.all().iter().find(|known| known.path == name).map(|known| known.file);
            known.unwrap_or_else(|| texts.add(name, text.text.clone()))
        };
        self.command.texts.all().iter().map(|text| id(text, texts)).collect()
    }
}

/// What tells a finding from others: its code, its place, and its message if it has no place. At one place it may have other words in another launch.
type Key = (&'static str, Option<(u32, u32, u32)>, String);

fn key(found: &Diagnostic) -> Key {
    let place = found.location.map(|at| (at.file.0, at.span.start, at.span.end));
    (found.code.code, place, if place.is_some() { String::new() } else { found.message.clone() })
}

/// A finding with other numbers of its files.
fn renumbered(found: &Diagnostic, number: &dyn Fn(FileId) -> FileId) -> Diagnostic {
    let mut found = found.clone();
    renumber(&mut found, number);
    found
}

fn renumber(found: &mut Diagnostic, number: &dyn Fn(FileId) -> FileId) {
    let places = found.location.iter_mut().chain(found.related.iter_mut().map(|related| &mut related.location));
    places.for_each(|place| place.file = number(place.file));
    for fix in found.fix.iter_mut().chain(&mut found.other_fixes) {
        fix.edits.iter_mut().for_each(|edit| edit.location.file = number(edit.location.file));
    }
    found.folded.iter_mut().for_each(|folded| renumber(folded, number));
}
