//! The files around a config that its checks need: only those of its repository.

use std::{
    io,
    path::{Path, PathBuf},
};

use cfg_system::{Kind, Role, System, without_dots};

use crate::constraint::From;

/// The surroundings of a config.
#[derive(Clone, Copy, Debug)]
pub struct Around<'s> {
    /// The system on which files are read.
    pub system: &'s dyn System,
    /// The config.
    pub config: &'s Path,
    /// The folder of the settings that declare its dialect.
    pub project: &'s Path,
}

/// The result of a search for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FileSearch {
    /// It exists.
    File(PathBuf),
    /// It does not exist.
    Nothing,
    /// It is outside the repository, or may not be read.
    Elsewhere,
}

impl Around<'_> {
    /// Finds the file that a path in a config names.
    pub(crate) fn find(&self, path: &str, from: From) -> FileSearch {
        let folder = match from {
            From::Project => self.project.to_owned(),
            From::Beside => self.system.absolute(self.config).parent().map(Path::to_owned).unwrap_or_default(),
        };
        if path.is_empty() || path.contains("://") || path.starts_with('~') || path.contains('\0') {
            return FileSearch::Elsewhere;
        }
        let full = without_dots(&self.system.absolute(&folder.join(path)));
        let root = self.system.root_of(&self.system.absolute(self.project));
        let Ok(real_root) = self.system.real(&root) else { return FileSearch::Elsewhere };
        if !full.starts_with(&root) || !self.system.may_look(&root) {
            return FileSearch::Elsewhere;
        }
        // The path is checked component by component: for a path outside the repository, not even the absence of the file is reported.
        for at in cfg_system::around(&full) {
            match self.system.real(at) {
                Ok(real) if !real.starts_with(&real_root) => return FileSearch::Elsewhere,
                Ok(_) if at != full => return FileSearch::Nothing,
                Ok(_) => {
                    let is_file = self.system.status(&full).is_ok_and(|status| status.kind == Kind::File);
                    return if is_file { FileSearch::File(full) } else { FileSearch::Nothing };
                }
                // A dangling link may lead outside.
                Err(_) if self.system.is_there(at) => return FileSearch::Elsewhere,
                Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
                Err(_) => return FileSearch::Elsewhere,
            }
        }
        FileSearch::Elsewhere
    }

    /// The file of the schema.
    ///
    /// # Errors
    /// Why there is no such file, or why it must not be read. For a path outside the repository,
    /// the reason does not depend on whether the file exists.
    pub fn schema(&self, path: &Path) -> Result<PathBuf, &'static str> {
        match self.find(&path.to_string_lossy(), From::Project) {
            FileSearch::File(file) => Ok(file),
            FileSearch::Nothing => Err("there is no such file"),
            FileSearch::Elsewhere => Err("it is outside the repository, or can't be read"),
        }
    }

    /// The text of a file in the repository.
    pub(crate) fn text(&self, file: &Path) -> Option<String> {
        self.system.text(file, Role::Config)
    }
}
