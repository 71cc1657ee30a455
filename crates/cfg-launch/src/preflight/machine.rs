//! Access of the checks to the machine. It changes nothing.

use std::{
    io,
    path::{Path, PathBuf},
};

use cfg_system::{Host, Role, Scope, System};

/// The machine that is checked.
#[derive(Clone, Copy)]
pub(super) struct Machine<'a>(pub(super) &'a dyn System);

impl Machine<'_> {
    /// The programs, environment variables and hardware of the machine.
    pub(super) fn host(&self) -> &dyn Host {
        self.0.host()
    }

    /// An environment variable; `None` if it is not set, empty or not UTF-8.
    pub(super) fn variable(self, name: &str) -> Option<String> {
        self.0.host().variable(name)?.into_string().ok()
    }

    /// The path of a program in `PATH`; `None` if it is not there.
    pub(super) fn program(self, name: &str) -> Option<PathBuf> {
        let is_program = |path: &PathBuf| self.0.status(path).is_ok_and(|status| status.is_program && self.0.is_file(path));
        self.0.host().path().into_iter().map(|folder| folder.join(name)).find(is_program)
    }

    /// The names of the entries of a folder, sorted.
    pub(super) fn names(self, folder: &Path) -> io::Result<Vec<String>> {
        let entries = self.0.list(folder, Scope::Anywhere)?;
        let mut names: Vec<String> = entries.into_iter().filter_map(|entry| entry.name.into_string().ok()).collect();
        names.sort_unstable();
        Ok(names)
    }

    /// The text of a file.
    pub(super) fn text(self, path: &Path, role: Role) -> io::Result<String> {
        let bytes = self.0.read(path, role)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Where a path leads; `None` if it is not there.
    pub(super) fn real(self, path: &Path) -> Option<PathBuf> {
        self.0.real(path).ok()
    }

    /// Whether a path exists.
    pub(super) fn exists(self, path: &Path) -> bool {
        self.0.exists(path)
    }
}
