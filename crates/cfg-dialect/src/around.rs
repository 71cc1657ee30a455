//! The files around a config that its checks ask for: those of its repository, and no others.

use std::{
    io,
    path::{Path, PathBuf},
};

use cfg_system::{Kind, Role, System, without_dots};

use crate::constraint::From;

/// Where a config is.
#[derive(Clone, Copy, Debug)]
pub struct Around<'s> {
    /// Where files are read.
    pub system: &'s dyn System,
    /// The config.
    pub config: &'s Path,
    /// The folder of the settings that declare its dialect.
    pub project: &'s Path,
}

/// What is known of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// It is there.
    File(PathBuf),
    /// It is not there.
    Nothing,
    /// It is outside of the repository, or may not be looked at.
    Elsewhere,
}

impl Around<'_> {
    /// The file that a path of a config names.
    pub(crate) fn find(&self, path: &str, from: From) -> Found {
        let folder = match from {
            From::Project => self.project.to_owned(),
            From::Beside => self.system.absolute(self.config).parent().map(Path::to_owned).unwrap_or_default(),
        };
        if path.is_empty() || path.contains("://") || path.starts_with('~') || path.contains('\0') {
            return Found::Elsewhere;
        }
        let full = without_dots(&self.system.absolute(&folder.join(path)));
        let root = self.system.root_of(&self.system.absolute(self.project));
        let Ok(real_root) = self.system.real(&root) else { return Found::Elsewhere };
        if !full.starts_with(&root) || !self.system.may_look(&root) {
            return Found::Elsewhere;
        }
        // Where it leads is looked up step by step: of what is outside not even that it is missing is told.
        for at in full.ancestors() {
            match self.system.real(at) {
                Ok(real) if !real.starts_with(&real_root) => return Found::Elsewhere,
                Ok(_) if at != full => return Found::Nothing,
                Ok(_) => {
                    let is_file = self.system.status(&full).is_ok_and(|status| status.kind == Kind::File);
                    return if is_file { Found::File(full) } else { Found::Nothing };
                }
                // A link that leads nowhere may lead out.
                Err(_) if self.system.is_there(at) => return Found::Elsewhere,
                Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
                Err(_) => return Found::Elsewhere,
            }
        }
        Found::Elsewhere
    }

    /// The text of a file of the repository.
    pub(crate) fn text(&self, file: &Path) -> Option<String> {
        self.system.text(file, Role::Config)
    }
}
