//! Folders without files of a project: these are looked up in the folder of each config, and most folders have none of them. A search lists each
//! folder anyway, so it knows.

use std::{
    ffi::OsStr,
    fmt, io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use crate::{Entry, PathMap, Role, Scope, SearchOptions, Status, System, Unsearched, folder_and_name};

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

/// A system that asks nothing about names that its searches did not find. A file that is added later may be missed, so this is for a process that
/// answers once.
pub struct SearchedOnce {
    base: Arc<dyn System>,
    projectless: ProjectlessFolders,
}

impl SearchedOnce {
    /// Over another system, with nothing searched yet.
    pub fn new(base: Arc<dyn System>) -> Self {
        Self { base, projectless: ProjectlessFolders::default() }
    }

    fn may_exist(&self, path: &Path) -> io::Result<()> {
        if self.projectless.without(path).is_some() { Err(io::ErrorKind::NotFound.into()) } else { Ok(()) }
    }
}

impl fmt::Debug for SearchedOnce {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SearchedOnce").field("base", &self.base).finish_non_exhaustive()
    }
}

impl System for SearchedOnce {
    crate::delegate!(base without search);

    fn read(&self, path: &Path, role: Role) -> io::Result<Vec<u8>> {
        self.may_exist(path)?;
        self.base.read(path, role)
    }

    fn open_stream(&self, path: &Path) -> io::Result<Box<dyn io::Read + Send>> {
        self.base.open_stream(path)
    }

    fn status(&self, path: &Path) -> io::Result<Status> {
        self.may_exist(path)?;
        self.base.status(path)
    }

    fn own_status(&self, path: &Path) -> io::Result<Status> {
        self.may_exist(path)?;
        self.base.own_status(path)
    }

    fn list(&self, folder: &Path, scope: Scope) -> io::Result<Vec<Entry>> {
        self.base.list(folder, scope)
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        self.base.real(path)
    }

    fn search(
        &self,
        folders: &[&Path],
        options: SearchOptions<'_>,
        wanted: &(dyn Fn(&Path) -> bool + Sync),
    ) -> Vec<Result<PathBuf, Unsearched>> {
        self.base.search(folders, SearchOptions { projectless: Some(&self.projectless), ..options }, wanted)
    }
}
