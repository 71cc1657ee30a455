//! One side of a comparison: a file, a file as a git revision or the registry has it, each at a target.

use std::{fs, io, path::Path};

use cfg_check::{CheckedCommand, Command, CommandRequest, ReadError, Session, check_command};
use cfg_diag::{Location, Severity};
use cfg_emit::Places;
use cfg_project::Projects;
use cfg_registry::fingerprint::Meaning;
use cfg_report::{FileReport, Format, Reporter};
use cfg_schema::{History, Kind, Target};

use super::hints::Course;
use crate::{args::Common, commands::registry::around, inputs::sources, terminal};

/// What an argument names.
pub(super) struct Reference {
    from: From,
    /// Behind an `@`.
    target: Option<Target>,
}

enum From {
    File(String),
    /// A path as a revision has it: `main:configs/rl.toml`.
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
    /// Reads an argument. A file of that very name comes first, whatever the name looks like.
    pub(super) fn parse(history: History, text: &str) -> Result<Self, String> {
        if Path::new(text).exists() {
            return Ok(Self { from: From::File(text.to_owned()), target: None });
        }
        let (rest, target) = match text.rsplit_once('@') {
            Some((rest, target)) if !rest.is_empty() => match Target::parse(history, target) {
                Ok(target) => (rest, Some(target)),
                Err(error) if Path::new(rest).exists() => return Err(error.to_string()),
                // `HEAD@{1}:rl.toml` names a revision.
                Err(_) => (text, None),
            },
            _ => (text, None),
        };
        let from = match rest.rsplit_once(':') {
            _ if Path::new(rest).exists() => From::File(rest.to_owned()),
            Some((path, version)) if is_version(version) => From::Version { path: path.to_owned(), version: version.to_owned() },
            _ => match rest.split_once(':') {
                Some((revision, path)) => From::Git { revision: revision.to_owned(), path: path.to_owned() },
                None => return Err(format!("{rest}: there is no such file")),
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
pub(super) struct Side {
    /// How messages call it.
    pub(super) name: String,
    /// What was found of it, and the texts that it is made of.
    command: CheckedCommand,
}

impl Side {
    /// Reads and checks what an argument names.
    pub(super) fn read(
        kind: Option<Kind>,
        session: &Session,
        projects: &Projects,
        name: &str,
        reference: &Reference,
        target: Option<Target>,
    ) -> Result<Self, String> {
        let surroundings =
            |path: &str| projects.target(Path::new(path))?.as_ref().as_ref().ok().map(|found| found.target.clone());
        let (path, bytes) = match &reference.from {
            From::File(path) => (path, fs::read(path).map_err(|error| format!("{path}: {error}"))?),
            From::Git { revision, path } => (path, of_revision(revision, path)?),
            From::Version { path, version } => (path, around::version(path, version)?),
        };
        // What the config includes lies beside it, also where the config itself is an older one.
        let read = |file: &str| if file == path { Ok(bytes.clone()) } else { read_file(file) };
        let files = [path.clone()];
        let request = CommandRequest {
            command: Command::Files(&files),
            environment: &[],
            kind,
            target: reference.target.clone().or(target),
            surroundings: &surroundings,
            project: None,
            read: &read,
        };
        Ok(Self { name: name.to_owned(), command: check_command(session, &request) })
    }

    pub(super) fn meaning(&self, session: &Session) -> Option<Meaning> {
        cfg_check::meaning_of_command(session, &self.command)
    }

    /// How its steps go.
    pub(super) fn course(&self) -> Option<Course> {
        Course::of(&self.command.checked)
    }

    pub(super) fn kind(&self) -> Option<Kind> {
        self.command.checked.kind
    }

    pub(super) fn target(&self) -> &Target {
        &self.command.checked.target
    }

    /// Whether prime-rl would refuse it, so that not every value is known.
    pub(super) fn has_faults(&self) -> bool {
        self.command.checked.diagnostics.iter().any(|found| found.severity == Severity::Error && found.native.is_some())
    }

    /// Says what is wrong with it, where errors go.
    pub(super) fn report(&self, common: &Common) -> io::Result<()> {
        let checked = &self.command.checked;
        let mut stream = Reporter::new(Format::Full, terminal::style(common.color)).stream(io::stderr().lock());
        let report = FileReport {
            path: &self.name,
            kind: checked.kind.map(Kind::name),
            target: Some(&checked.target.name),
            verdict: cfg_report::Verdict::Rejected,
            diagnostics: &checked.diagnostics,
        };
        stream.file(&report, &sources(&self.command.texts))?;
        let closing = stream.summary().sentence();
        stream.finish(&closing).map(drop)
    }

    /// Calls `use_places` with what names this side's places.
    pub(super) fn with_places<T>(&self, use_places: impl FnOnce(Places<'_>) -> T) -> T {
        let sources = sources(&self.command.texts);
        let place = |location: Location| {
            sources.place(location).map_or_else(String::new, |(path, at)| format!("{path}:{}:{}", at.line, at.column))
        };
        let text = |location: Location| sources.text(location);
        use_places(Places { place: &place, text: &text, target: &self.target().name })
    }
}

/// The text of a path as a revision has it. As git takes it: from the top of the work tree, or with `./` from here.
fn of_revision(revision: &str, path: &str) -> Result<Vec<u8>, String> {
    let found = cfg_project::git_show(Path::new("."), &format!("{revision}:{path}"));
    let found = found.or_else(|| cfg_project::git_show(Path::new("."), &format!("{revision}:./{path}")));
    found.ok_or_else(|| format!("{revision}:{path}: there is no such file, and git knows no such revision with that path"))
}

fn read_file(path: &str) -> Result<Vec<u8>, ReadError> {
    fs::read(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadError::NotFound,
        io::ErrorKind::IsADirectory => ReadError::IsFolder,
        io::ErrorKind::PermissionDenied => ReadError::Forbidden,
        _ => ReadError::Other(error.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::is_version;

    #[test]
    fn a_version_is_told_from_a_path() {
        for version in ["v1", "v12", "1.2.0", "v1.2.0", "1.2.0-rc.1"] {
            assert!(is_version(version), "{version}");
        }
        for other in ["rl.toml", "configs/rl.toml", "v", "1", "0.4", "", "very.toml"] {
            assert!(!is_version(other), "{other}");
        }
    }
}
