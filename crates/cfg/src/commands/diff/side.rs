//! One side of a comparison: a file, or a file at a git revision or registered version, each for a target.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use cfg_check::{
    CheckedCommand, Command, Fragment, Project, Session,
    memory::{MemoryOptions, layout_errors, memory},
};
use cfg_diag::{Diagnostic, Location, Severity, Verdict, codes};
use cfg_memory::hardware::Hardware;
use cfg_plan::{Metadata, Plan};
use cfg_project::{GitError, Index};
use cfg_registry::fingerprint::Meaning;
use cfg_report::memory::{Assessed, MemoryReport};
use cfg_resolve::emit::Places;
use cfg_schema::{History, Kind, Target};
use cfg_system::{Admission, Overlay, Role, System, tidy};

use super::hints::Course;
use crate::{
    commands::{read::not_toml, registry::registered::version as version_of},
    context::Context,
    inputs::{Inputs, sources},
};

/// A parsed argument.
pub(super) struct Reference {
    from: From,
    /// The target that follows an `@`.
    target: Option<Target>,
}

enum From {
    File(String),
    /// A path at a git revision: `main:configs/rl.toml`.
    Git {
        revision: String,
        path: String,
    },
    /// A registered version: `configs/rl.toml:v2`.
    Version {
        path: String,
        version: String,
    },
}

impl Reference {
    /// Parses an argument. If a file of exactly this name exists, the argument means that file.
    pub(super) fn parse(system: &dyn System, history: History, text: &str) -> Result<Self, String> {
        if system.exists(Path::new(text)) {
            return Ok(Self { from: From::File(text.to_owned()), target: None });
        }
        let (rest, target) = match text.rsplit_once('@') {
            Some((rest, target)) if !rest.is_empty() => match Target::parse(history, target) {
                Ok(target) => (rest, Some(target)),
                Err(error) if system.exists(Path::new(rest)) => return Err(error.to_string()),
                // In `HEAD@{1}:rl.toml`, the text after the `@` is part of a revision, not a target.
                Err(_) => (text, None),
            },
            _ => (text, None),
        };
        let from = match rest.rsplit_once(':') {
            _ if system.exists(Path::new(rest)) => From::File(rest.to_owned()),
            Some((path, version)) if is_version(version) => From::Version { path: path.to_owned(), version: version.to_owned() },
            _ => match rest.split_once(':') {
                Some((revision, path)) => From::Git { revision: revision.to_owned(), path: path.to_owned() },
                None => return Err(format!("{rest}: no such file")),
            },
        };
        Ok(Self { from, target })
    }
}

/// Whether a text is the label of a version: `v3`, or `1.2.0`.
fn is_version(text: &str) -> bool {
    let digits = text.strip_prefix('v').unwrap_or(text);
    digits.starts_with(|character: char| character.is_ascii_digit())
        && digits.chars().all(|character| character.is_ascii_alphanumeric() || ".-+".contains(character))
        && (text.starts_with('v') || digits.matches('.').count() >= 2)
}

/// A config, read and checked.
pub(in crate::commands) struct Side {
    /// Its name in messages.
    pub(super) name: String,
    /// The composed config with its findings, and the texts that it consists of.
    command: CheckedCommand,
    /// The session of the system on which it was read; `None` for that of the command.
    session: Option<Arc<Session>>,
}

/// One side with the files that it overrides, if it is no config of its own.
pub(super) struct WithBases(pub(super) Side, Vec<String>);

impl WithBases {
    /// The side, after these files have been named.
    fn told(self, cx: &Context) -> Side {
        let Self(side, bases) = self;
        if !bases.is_empty() {
            cx.note(&format!("{} is read with {}", cfg_diag::one_line(&side.name), cfg_diag::one_line(&bases.join(", "))));
        }
        side
    }
}

impl Side {
    /// Reads and checks the config that an argument names.
    pub(super) fn read(
        cx: &Context,
        session: &Session,
        name: &str,
        reference: &Reference,
        target: Option<Target>,
    ) -> Result<Self, String> {
        let target = reference.target.clone().or(target);
        let (From::File(path) | From::Git { path, .. } | From::Version { path, .. }) = &reference.from;
        if let Some(why) = not_toml(Path::new(path)) {
            return Err(why);
        }
        let (path, bytes) = match &reference.from {
            From::File(path) => {
                (path, cx.system.read(Path::new(path), Role::Config).map_err(|error| format!("{path}: {error}"))?)
            }
            From::Git { revision, path } => {
                let missing = || format!("{revision}:{path}: no such file, and no git revision with that path");
                let cx = at_revision(cx, revision).map_err(|_| missing())?;
                let session = Arc::new(cx.session());
                let place = place_in(&*cx.system, path).ok_or_else(missing)?;
                let side = Self::of_place(&cx, Arc::clone(&session), name, &place, target.clone()).ok_or_else(missing)?;
                cx.known_target(&session, &place, &side.command.checked)?;
                return Ok(side.completed(&cx, &session, &cx.system.shown(&place), target.as_ref()).told(&cx));
            }
            From::Version { path, version } => (path, version_of(cx, path, version)?),
        };
        let side = Self::of_bytes(cx, session, name, Path::new(path), bytes, target.clone());
        cx.known_target(session, Path::new(path), &side.command.checked)?;
        let is_of_disk = matches!(reference.from, From::File(_));
        Ok(if is_of_disk { side.completed(cx, session, path, target.as_ref()).told(cx) } else { side })
    }

    /// If it only overrides other files, the same with these, as `cfg check` reads it.
    pub(super) fn completed(mut self, cx: &Context, session: &Session, path: &str, target: Option<&Target>) -> WithBases {
        let own = self.command.files.first().and_then(|file| self.command.texts.get(*file)).map(|text| text.text.clone());
        let Some(text) = own.filter(|_| !cx.common.states_kind() && self.command.checked.is_part()) else {
            return WithBases(self, Vec::new());
        };
        if cfg_check::states_kind(session, path, &text) {
            return WithBases(self, Vec::new());
        }
        let project = Project::around(session.projects(), Path::new(path));
        let part = Fragment { session, system: &*cx.system, path, text: &text, target, project: Some(&project) };
        match cfg_check::completed_by(part, &self.command.checked) {
            Some(completed) => {
                self.command = completed.command;
                WithBases(self, completed.bases)
            }
            None => WithBases(self, Vec::new()),
        }
    }

    /// Checks a file of another system, with the settings, the includes and the pins that this system has; `None` if it can't be read.
    pub(in crate::commands) fn of_place(
        cx: &Context,
        session: Arc<Session>,
        name: &str,
        place: &Path,
        target: Option<Target>,
    ) -> Option<Self> {
        cx.system.read(place, Role::Config).ok()?;
        let project = Project::around(session.projects(), place);
        let inputs = Inputs { cx, session: &session, kind: cx.common.kind(), target, project: Some(&project), env: false };
        let command = inputs.check(Command::Files(&[cx.system.shown(place)]));
        Some(Self { name: name.to_owned(), command, session: Some(session) })
    }

    /// Checks a text as the content of a place of another system, of which this is the session.
    pub(super) fn of_text(
        cx: &Context,
        session: &Arc<Session>,
        name: &str,
        place: &Path,
        text: &str,
        target: Option<Target>,
    ) -> Self {
        let mut side = Self::of_bytes(cx, session, name, Path::new(&cx.system.shown(place)), text.as_bytes().to_vec(), target);
        side.session = Some(Arc::clone(session));
        side
    }

    /// Checks a text as the content of a path.
    pub(in crate::commands) fn of_bytes(
        cx: &Context,
        session: &Session,
        name: &str,
        path: &Path,
        bytes: Vec<u8>,
        target: Option<Target>,
    ) -> Self {
        // Included files are read from the disk, even for an earlier text of the config.
        let system = Overlay::with(Arc::clone(&cx.system), path, bytes);
        let project = Project::around(session.projects(), path);
        let inputs = Inputs { cx, session, kind: cx.common.kind(), target, project: Some(&project), env: false };
        let command = inputs.check_on(&system, Command::Files(&[path.to_string_lossy().into_owned()]));
        Self { name: name.to_owned(), command, session: None }
    }

    /// Checks a file; `None` if it can't be read.
    pub(in crate::commands) fn of_file(cx: &Context, session: &Session, path: &Path, target: Option<Target>) -> Option<Self> {
        let bytes = cx.system.read(path, Role::Config).ok()?;
        Some(Self::of_bytes(cx, session, &cx.system.shown(path), path, bytes, target))
    }

    pub(in crate::commands) fn meaning(&self, session: &Session) -> Option<Meaning> {
        cfg_check::meaning_of_command(self.session.as_deref().unwrap_or(session), &self.command)
    }

    /// The settings on which hints depend.
    pub(in crate::commands) fn course(&self) -> Option<Course> {
        Course::of(&self.command.checked)
    }

    /// Its metadata, and what its project states.
    fn surroundings(&self, session: &Session) -> Option<(Metadata, Project)> {
        let session = self.session.as_deref().unwrap_or(session);
        let file = *self.command.files.first()?;
        let own = self.command.texts.get(file)?;
        let (document, _) = cfg_syntax::parse(file, &own.text, cfg_syntax::Dialect::Toml11);
        let (metadata, _) = session.metadata(file, &own.path, &own.text, &document);
        Some((metadata, Project::around(session.projects(), Path::new(&*own.path))))
    }

    /// The machine that it, its registry or its settings state; `None` if there is none, or it is unknown.
    pub(super) fn machine(&self, session: &Session) -> Option<String> {
        let (metadata, project) = self.surroundings(session)?;
        let (machine, _) = project.machine(&metadata)?;
        machine.ok().map(|Hardware { count, gpu }| format!("{count}x {}", gpu.name))
    }

    /// Whether it consists of the same texts as another one.
    pub(super) fn has_texts_of(&self, other: &Self) -> bool {
        let texts = |side: &'_ Self| {
            let texts = side.command.files.iter().filter_map(|file| side.command.texts.get(*file));
            texts.map(|text| text.text.clone()).collect::<Vec<_>>()
        };
        texts(self) == texts(other)
    }

    /// The GPU memory and disk space that it needs; `None` if they can't be determined.
    pub(super) fn memory(&self, session: &Session) -> Option<MemoryReport> {
        let checked = &self.command.checked;
        let (metadata, project) = self.surroundings(session)?;
        let plan = Plan::new(checked.target.schema(checked.kind?), checked.resolved.as_ref()?);
        let options = MemoryOptions { hardware: None, shape: None };
        let memory = memory(&plan, &checked.target, &metadata, &project, options).ok()?;
        Some(MemoryReport::new(Assessed {
            target: &checked.target.name,
            run: &memory.budget.run,
            assessment: &memory.assessment,
            hardware: memory.hardware.as_ref(),
            source: "",
            free: memory.free,
            models: &memory.budget.models,
            assumed: &[],
            errors: &layout_errors(checked, &plan, &metadata, &project),
        }))
    }

    pub(in crate::commands) fn kind(&self) -> Option<Kind> {
        self.command.checked.kind
    }

    pub(in crate::commands) fn target(&self) -> &Target {
        &self.command.checked.target
    }

    /// Whether the prime-rl for which it was read is only assumed, because nothing states one.
    pub(super) fn is_assumed(&self) -> bool {
        self.command.checked.is_assumed()
    }

    /// Whether the prime-rl for which it was read is unknown.
    pub(super) fn is_of_unknown(&self) -> bool {
        self.command.checked.is_unknown()
    }

    /// Whether not all of its files were read, so that some values are unknown.
    pub(super) fn is_partly_read(&self) -> bool {
        self.command.is_partly_read()
    }

    /// Whether prime-rl would refuse it, so that some values are unknown.
    pub(super) fn has_faults(&self) -> bool {
        self.faults().next().is_some()
    }

    /// Whether anything in it is an error.
    pub(super) fn has_errors(&self) -> bool {
        self.command.checked.diagnostics.iter().any(|found| found.severity == Severity::Error)
    }

    /// Whether it has the marks of a merge that is not finished.
    pub(super) fn has_conflict(&self) -> bool {
        self.command.checked.diagnostics.iter().any(|found| found.code == &codes::MERGE_CONFLICT)
    }

    /// What prime-rl would refuse first in what it states; `None` if nothing, although keys may be missing.
    pub(super) fn fault(&self) -> Option<&Diagnostic> {
        self.faults().find(|found| found.code != &codes::MISSING_KEY)
    }

    /// The message of what prime-rl would refuse first; empty if nothing.
    pub(super) fn first_fault(&self) -> String {
        let first = self.fault().or_else(|| self.faults().next());
        first.map_or_else(String::new, |found| found.message.clone())
    }

    fn faults(&self) -> impl Iterator<Item = &Diagnostic> {
        let is_fault = |found: &&Diagnostic| found.severity == Severity::Error && found.native.is_some();
        self.command.checked.diagnostics.iter().filter(is_fault)
    }

    /// Whether it lacks only what another file may have.
    pub(super) fn is_part(&self) -> bool {
        self.fault().is_none() && self.command.checked.is_part()
    }

    /// Reports its errors to standard error.
    pub(super) fn report(&self, cx: &Context) -> io::Result<()> {
        cx.report_checked(&self.name, &self.command.checked, Verdict::Rejected, &sources(&self.command.texts))
    }

    /// Calls `use_places` with functions that format locations in this side.
    pub(super) fn with_places<T>(&self, use_places: impl FnOnce(Places<'_>) -> T) -> T {
        let sources = sources(&self.command.texts);
        let place = |location: Location| {
            sources.place(location).map_or_else(String::new, |(path, at)| format!("{path}:{}:{}", at.line, at.column))
        };
        let text = |location: Location| sources.text(location);
        use_places(Places { place: &place, text: &text, target: &self.target().name })
    }
}

/// The context in which a revision is read: all files are those that it has.
///
/// # Errors
///
/// If there is no such revision, or git fails.
pub(in crate::commands) fn at_revision(cx: &Context, revision: &str) -> Result<Context, GitError> {
    let index = Index::at(&cx.system, Path::new("."), revision)?;
    cx.system.admit(index.top(), Admission::Listed);
    let system: Arc<dyn System> = Arc::new(index);
    Ok(cx.on(&system))
}

/// The place of a path in a revision. As in git, it is relative to the root of the work tree, or to this folder if it begins with `./`; otherwise to this
/// folder if the root has no such file.
fn place_in(system: &dyn System, path: &str) -> Option<PathBuf> {
    let (top, _) = system.revision()?;
    let from_top = Some(top.join(path)).filter(|_| !path.starts_with("./") && !path.starts_with("../"));
    let here = tidy(&system.absolute(Path::new(path)));
    from_top.into_iter().chain([here]).find(|place| system.is_file(place))
}

#[cfg(test)]
mod tests {
    use super::is_version;

    #[test]
    fn a_version_is_distinguished_from_a_path() {
        for version in ["v1", "v12", "1.2.0", "v1.2.0", "1.2.0-rc.1"] {
            assert!(is_version(version), "{version}");
        }
        for other in ["rl.toml", "configs/rl.toml", "v", "1", "0.4", "", "very.toml"] {
            assert!(!is_version(other), "{other}");
        }
    }
}
