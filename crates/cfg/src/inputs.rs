//! How the configs of a command are read: files one over the other, launch commands, the environment.

use std::{fs, io, path::Path};

use cfg_check::{CheckedCommand, Command, CommandRequest, Project, ReadError, Session, Texts, check_command};
use cfg_report::Sources;
use cfg_schema::{Kind, Target};

/// What several files or a launch command are checked with.
pub(crate) struct Inputs<'a> {
    pub(crate) session: &'a Session,
    pub(crate) kind: Option<Kind>,
    pub(crate) target: Option<Target>,
    /// The target that the project around a file implies.
    pub(crate) surroundings: &'a dyn Fn(&Path) -> Option<Target>,
    /// What the project's settings say that rules can use.
    pub(crate) project: Option<&'a Project>,
    /// Whether the variables of the environment count.
    pub(crate) env: bool,
}

impl Inputs<'_> {
    /// Composes and checks what a command names.
    pub(crate) fn check(&self, command: Command<'_>) -> CheckedCommand {
        let environment = if self.env { environment() } else { Vec::new() };
        let surroundings = |path: &str| (self.surroundings)(Path::new(path));
        let request = CommandRequest {
            command,
            environment: &environment,
            kind: self.kind,
            target: self.target.clone(),
            surroundings: &surroundings,
            project: self.project,
            read: &read,
        };
        check_command(self.session, &request)
    }
}

/// The variables whose names and values are text.
pub(crate) fn environment() -> Vec<(String, String)> {
    std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))).collect()
}

fn read(path: &str) -> Result<Vec<u8>, ReadError> {
    fs::read(path).map_err(|error| read_error(&error))
}

/// Why a file can't be read, as far as prime-rl tells one reason from another.
pub(crate) fn read_error(error: &io::Error) -> ReadError {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadError::NotFound,
        io::ErrorKind::IsADirectory => ReadError::IsFolder,
        io::ErrorKind::PermissionDenied => ReadError::Forbidden,
        _ => ReadError::Other(error.to_string()),
    }
}

/// The texts into which the diagnostics of a command point.
pub(crate) fn sources(texts: &Texts) -> Sources<'_> {
    let mut sources = Sources::new();
    for text in texts.all() {
        sources.insert(text.file, &text.path, &text.text);
    }
    sources
}
