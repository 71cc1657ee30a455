//! Folders without files of a project: these are looked up in the folder of each config, and most folders have none of them. A search lists each
//! folder anyway, so it knows.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    sync::{PoisonError, RwLock},
    time::Duration,
};

use crate::{PathMap, folder_and_name};

/// The names that are looked up in each folder with configs. If another name is looked up there as well, it is asked for like any other path.
pub(crate) const PROJECT_NAMES: [&str; 8] =
    [".git", ".venv", "cfg.toml", "deps", "environments", "prime-rl", "pyproject.toml", "registry.json"];

/// The folders in which searches have found none of the names of a project, by their absolute paths. Each has the time of its last change before it was
/// searched, if that shows every later change.
#[derive(Debug, Default)]
pub struct ProjectlessFolders(RwLock<PathMap<Option<Duration>>>);

impl ProjectlessFolders {
    /// Adds folders.
    pub(crate) fn add(&self, folders: impl IntoIterator<Item = (PathBuf, Option<Duration>)>) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known.extend(folders.into_iter().map(|(folder, changed)| (folder.into_os_string(), changed)));
    }

    /// Forgets all folders.
    pub(crate) fn clear(&self) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The folder of a path, with the time of its last change, if a search has found that nothing is at this path.
    pub(crate) fn without<'p>(&self, path: &'p Path) -> Option<(&'p Path, Option<Duration>)> {
        let (folder, name) = folder_and_name(path)?;
        if !PROJECT_NAMES.iter().any(|known| name == *known) {
            return None;
        }
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        Some((folder, *known.get(folder.as_os_str())?))
    }
}

/// Whether a name is, on any file system, one of those that are looked up.
pub(crate) fn is_of_project(name: &OsStr) -> bool {
    PROJECT_NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
}
