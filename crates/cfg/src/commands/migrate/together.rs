//! Files that form one config: one with `toml_files`, and those that it names.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use cfg_check::{CheckedCommand, Command, CommandRequest, Session, Verdict, check_command};
use cfg_compose::{WrittenLaunch, loader};
use cfg_diag::{Diagnostic, Severity};
use cfg_migrate::{Meaning, meaning};
use cfg_resolve::ResolvedTable;
use cfg_schema::{Kind, Point, Target};
use cfg_system::{Overlay, System};

use super::{Job, one::MigratedConfig, unused::dense_model};
use crate::{context::Context, inputs::sources};

/// All migrated configs, by their places in the file system, with their new texts over the old ones.
pub(super) struct Migrated<'a> {
    cx: &'a Context,
    all: &'a [MigratedConfig],
    by_place: HashMap<PathBuf, usize>,
    /// The systems that have the new texts: as they are, or without `toml_files` for a prime-rl that does not support it.
    new: Mutex<Vec<(Option<Point>, Overlay)>>,
}

impl<'a> Migrated<'a> {
    pub(super) fn new(cx: &'a Context, all: &'a [MigratedConfig]) -> Self {
        let mut by_place = HashMap::new();
        for (index, way) in all.iter().enumerate() {
            by_place.entry(place(cx, Path::new(&way.name))).or_insert(index);
        }
        Self { cx, all, by_place, new: Mutex::default() }
    }

    /// The config that is the file of a path.
    fn at(&self, path: &Path) -> Option<&'a MigratedConfig> {
        self.by_place.get(&place(self.cx, path)).map(|index| &self.all[*index])
    }

    /// The system that has the new texts. At `without_includes`, which does not support the key `toml_files`, they don't have it: it is reported as a
    /// decision, and would only mask other errors.
    fn system(&self, without_includes: Option<Point>) -> Overlay {
        let mut known = self.new.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, system)) = known.iter().find(|(point, _)| *point == without_includes) {
            return system.clone();
        }
        let new = Overlay::new(Arc::clone(&self.cx.system));
        for way in self.all {
            let text = way.new_text();
            let text = match without_includes {
                Some(point) => self::without_includes(&text, point),
                None => text,
            };
            new.put(Path::new(&way.name), text.into_bytes());
        }
        known.push((without_includes, new.clone()));
        new
    }
}

/// The files of one config, after their migration.
pub(super) struct Together {
    /// The files in the order in which they are merged.
    pub(super) files: Vec<String>,
    /// Their places in the file system.
    places: HashSet<PathBuf>,
    /// The result of checking the old files for the old prime-rl.
    before: CheckedCommand,
    /// The result of checking the new files for the new prime-rl.
    pub(super) after: CheckedCommand,
    /// The comparison of their resolved values.
    pub(super) meaning: Option<Meaning>,
    /// Whether the new prime-rl does not support `toml_files`, so that all files must be named on the command line.
    pub(super) is_by_command: bool,
    /// The new prime-rl.
    pub(super) to: Target,
}

impl Together {
    /// The config that consists of the file `way` and those that it names.
    pub(super) fn of(session: &Session, way: &MigratedConfig, migrated: &Migrated<'_>) -> Self {
        let cx = migrated.cx;
        let migration = &way.migration;
        let before = composed(session, way, &migration.from, Command::Files(std::slice::from_ref(&way.name)), &*cx.system);
        let files: Vec<String> =
            before.files.iter().filter_map(|file| before.texts.get(*file)).map(|text| text.path.clone()).collect();
        let is_by_command = !loader::at(migration.to.point).includes;
        let named: &[String] = if is_by_command { &files } else { std::slice::from_ref(&way.name) };
        let new = migrated.system(is_by_command.then_some(migration.to.point));
        let after = composed(session, way, &migration.to, Command::Files(named), &new);
        let meaning = values(&before).zip(values(&after)).map(|(old, new)| {
            let (from, to) = (migration.from.point, migration.to.point);
            meaning(session.history, migration.kind, old, from, new, to)
        });
        let places = files.iter().map(|file| place(cx, Path::new(file))).collect();
        Self { files, places, before, after, meaning, is_by_command, to: migration.to.clone() }
    }

    /// The config of a launch that merges several files, if all of them are migrated from the same prime-rl to the same.
    pub(super) fn launched(job: &Job<'_>, launch: &WrittenLaunch, migrated: &Migrated<'_>) -> Option<Self> {
        let Job { cx, session, .. } = job;
        let files: Vec<&MigratedConfig> = launch.files().map(|file| migrated.at(Path::new(file))).collect::<Option<_>>()?;
        let (first, rest) = files.split_first()?;
        let (from, to) = (&first.migration.from, &first.migration.to);
        if rest.iter().any(|way| (way.migration.from.point, way.migration.to.point) != (from.point, to.point)) {
            return None;
        }
        let program = || std::iter::once(launch.kind.name().to_owned());
        let old: Vec<String> = program().chain(launch.words.iter().cloned()).collect();
        let words: Vec<String> = program().chain(job.renamed(launch, from, to)).collect();
        let new = migrated.system(None);
        let check = |words: &[String], target: &Target, system: &dyn System| {
            let (command, target) = (Command::Words(words), Some(target.clone()));
            check_command(session, &CommandRequest { command, environment: &[], kind: None, target, project: None, system })
        };
        let (before, after) = (check(&old, from, &*cx.system), check(&words, to, &new));
        let meaning = before
            .checked
            .resolved
            .as_ref()
            .zip(after.checked.resolved.as_ref())
            .map(|(old, new)| meaning(session.history, launch.kind, old, from.point, new, to.point));
        let files: Vec<String> = files.iter().map(|way| way.name.clone()).collect();
        let places = files.iter().map(|file| place(cx, Path::new(file))).collect();
        Some(Self { files, places, before, after, meaning, is_by_command: false, to: to.clone() })
    }

    /// What the new prime-rl refuses of the files together, unlike the old one, each as a sentence with the files.
    pub(super) fn faults(&self) -> Vec<String> {
        self.sentences(|found| found.severity == Severity::Error && self.is_new(found))
    }

    /// What both prime-rls refuse of the files together, each as a sentence with the files.
    pub(super) fn refused(&self) -> Vec<String> {
        self.sentences(|found| found.native.is_some() && !found.is_echo && !self.is_new(found))
    }

    fn is_new(&self, found: &Diagnostic) -> bool {
        !self.before.checked.diagnostics.iter().any(|old| old.code == found.code)
    }

    fn sentences(&self, is_meant: impl Fn(&Diagnostic) -> bool) -> Vec<String> {
        let name = self.files.join(" and ");
        let found = self.after.checked.diagnostics.iter().filter(|found| is_meant(found));
        found.map(|found| format!("{name}: {}", found.message)).collect()
    }

    /// The places of its files in the file system.
    pub(super) fn places(&self) -> impl Iterator<Item = &Path> {
        self.places.iter().map(PathBuf::as_path)
    }

    /// The kind of the config.
    pub(super) fn kind(&self) -> Kind {
        self.after.checked.kind.or(self.before.checked.kind).unwrap_or(Kind::Rl)
    }

    /// The model, if it is known to have no experts.
    pub(super) fn dense(&self) -> Option<String> {
        dense_model(&self.after.checked)
    }

    pub(super) fn is_accepted(&self) -> bool {
        self.after.checked.verdict != Verdict::Rejected
    }

    /// Errors that the old prime-rl did not have, in configs that the new one accepts although the run would fail.
    pub(super) fn new_errors(&self) -> impl Iterator<Item = &Diagnostic> {
        let is_error = |finding: &&Diagnostic| finding.native.is_none() && finding.severity == Severity::Error;
        let old = &self.before.checked.diagnostics;
        self.after.checked.diagnostics.iter().filter(is_error).filter(|new| !old.iter().any(|old| old.code == new.code))
    }
}

/// What the new prime-rl refuses of a file with those that it overrides, and of none of them alone; `None` if not all of these are migrated to it.
pub(super) fn refused_beside(session: &Session, way: &MigratedConfig, migrated: &Migrated<'_>) -> Option<Vec<String>> {
    let to = &way.migration.to;
    let at = |base: &String| migrated.at(Path::new(base)).filter(|base| base.migration.to.point == to.point);
    let bases: Vec<&MigratedConfig> =
        way.bases.iter().map(at).collect::<Option<_>>().filter(|bases: &Vec<_>| !bases.is_empty())?;
    let files: Vec<String> = way.bases.iter().chain([&way.name]).cloned().collect();
    let after = composed(session, way, to, Command::Files(&files), &migrated.system(None));
    let is_told = |found: &Diagnostic| {
        let mut alone = bases.iter().copied().chain([way]).flat_map(|way| &way.migration.after.diagnostics);
        alone.any(|own| own.code == found.code && own.message == found.message)
    };
    Some(refusals(&after, |found| !is_told(found)))
}

/// What prime-rl refuses of the files of a command, as far as it is meant, each as a line with its place.
pub(super) fn refusals(command: &CheckedCommand, is_meant: impl Fn(&Diagnostic) -> bool) -> Vec<String> {
    let found = command.checked.diagnostics.iter().filter(|found| found.is_refusal() && !found.is_echo && is_meant(found));
    let sources = sources(&command.texts);
    let line = |found: &Diagnostic| {
        let place = found.location.and_then(|at| sources.place(at));
        let place = place.map_or_else(String::new, |(path, at)| format!("{path}:{}: ", at.line));
        format!("{place}{}", found.message)
    };
    found.map(line).collect()
}

/// The values of a config of which all files were read.
fn values(command: &CheckedCommand) -> Option<&ResolvedTable> {
    command.checked.resolved.as_ref().filter(|_| !command.is_partly_read())
}

/// The other files that a config names, directly or indirectly.
pub(super) fn parts(cx: &Context, session: &Session, way: &MigratedConfig) -> Vec<PathBuf> {
    let from = &way.migration.from;
    let composed = composed(session, way, from, Command::Files(std::slice::from_ref(&way.name)), &*cx.system);
    let files = composed.files.iter().filter_map(|file| composed.texts.get(*file));
    let own = place(cx, Path::new(&way.name));
    files.map(|text| PathBuf::from(&text.path)).filter(|path| place(cx, path) != own).collect()
}

/// Where a path leads to.
pub(super) fn place(cx: &Context, path: &Path) -> PathBuf {
    cx.system.real(path).unwrap_or_else(|_| path.to_owned())
}

fn composed(
    session: &Session,
    way: &MigratedConfig,
    target: &Target,
    command: Command<'_>,
    system: &dyn System,
) -> CheckedCommand {
    let request = CommandRequest {
        command,
        environment: &[],
        kind: Some(way.migration.kind),
        target: Some(target.clone()),
        project: None,
        system,
    };
    check_command(session, &request)
}

/// A text without `toml_files`.
fn without_includes(text: &str, point: Point) -> String {
    use cfg_syntax::rewrite::{Change, Comments, KeyPath, Rewriter};
    let path = KeyPath::new(["toml_files"]);
    let change = Change::Remove { path, comments: Comments::Keep };
    let edits =
        Rewriter::new(cfg_diag::FileId(0), text, loader::dialect(point)).and_then(|rewriter| rewriter.edits(&[change]).ok());
    edits.and_then(|edits| cfg_check::apply(text, &edits)).unwrap_or_else(|| text.to_owned())
}
