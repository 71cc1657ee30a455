//! Folders of a repository that belong to others: git submodules, and copies of prime-rl. Their configs are not those of the project, which can't change
//! them.

use std::path::{Path, PathBuf};

use cfg_system::{Role, SearchOptions, Unsearched, tidy};

use crate::{FoundFile, Projects, discover, folder::Folder, target};

/// A folder with the files of another project.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Foreign {
    /// Its absolute path.
    pub folder: PathBuf,
    /// Whether it is a git submodule; otherwise a copy of prime-rl.
    pub is_submodule: bool,
}

/// Why a file that was found in a folder is not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// `exclude` in the settings.
    BySettings,
    /// It is in a folder of another project.
    Foreign(Foreign),
}

/// The folder of another project that `folder` is in, apart from those around it.
pub(crate) fn begins_at(folder: &Folder) -> Option<Foreign> {
    let around = folder.outer()?.ancestors().find(|outer| outer.is_repository())?;
    let foreign = |is_submodule| Foreign { folder: folder.path().to_owned(), is_submodule };
    if folder.is_repository() {
        let modules = around.text(".gitmodules", Role::Project).unwrap_or_default();
        let is_module = |path: &String| tidy(&around.path().join(path)) == folder.path();
        if target::submodules(&modules).iter().any(is_module) {
            return Some(foreign(true));
        }
    }
    folder.pyproject().is_some_and(target::is_prime_rl_itself).then(|| foreign(false))
}

impl Projects {
    /// The configs to which a command applies that is given these paths: named files, and the `*.toml` files in named folders that the settings don't
    /// exclude and that don't belong to other projects. As [`discover`].
    pub fn discover(&self, paths: &[PathBuf]) -> Vec<Result<FoundFile, Unsearched>> {
        let mut found = discover(&*self.system, paths, SearchOptions::default());
        let is_left_out = |found: &FoundFile| !found.explicit && self.left_out(&found.path, paths).is_some();
        found.retain(|found| !found.as_ref().is_ok_and(is_left_out));
        found
    }

    /// Why a file that was found below one of the `named` paths is not checked: the settings exclude it, or it belongs to another project, and
    /// neither a named path nor the settings lead into that.
    pub fn left_out(&self, file: &Path, named: &[PathBuf]) -> Option<LeftOut> {
        let folder = self.folder_of(file);
        let project = self.explicit_settings().unwrap_or_else(|| self.settings_of(&folder));
        let settings = &project.settings;
        // Most files are compared with nothing.
        if settings.exclude.is_empty() && folder.foreign().is_none() {
            return None;
        }
        let plain = self.system.plain(file);
        if settings.exclude.iter().any(|pattern| pattern.matches(&plain)) {
            return Some(LeftOut::BySettings);
        }
        let foreign = folder.foreign()?;
        let is_named = named.iter().any(|path| tidy(&self.system.plain(path)).starts_with(&foreign.folder));
        let includes = |pattern: &crate::PathPattern| !pattern.folder().starts_with(&foreign.folder) && pattern.matches(&plain);
        let is_included = is_named || settings.extend_include.iter().any(includes);
        (!is_included).then(|| LeftOut::Foreign(foreign.clone()))
    }
}
