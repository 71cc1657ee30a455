//! Options for searching folders.

use std::{
    collections::HashMap,
    ffi::OsString,
    fmt, io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use crate::Entry;

/// Options for searching folders.
#[derive(Clone, Copy, Debug)]
pub struct SearchOptions<'m> {
    /// Whether `.gitignore` and `.ignore` files are respected.
    pub respect_ignores: bool,
    /// Whether hidden files and folders are searched as well.
    pub hidden: bool,
    /// What earlier searches of the same folders have listed; `None` to list everything.
    pub memory: Option<&'m SearchMemory>,
}

impl Default for SearchOptions<'_> {
    fn default() -> Self {
        Self { respect_ignores: true, hidden: false, memory: None }
    }
}

/// The entries of folders, each with the time of the folder's last change: as long as that is the same, so are its entries.
#[derive(Debug, Default)]
pub struct SearchMemory(RwLock<HashMap<OsString, Listed>>);

#[derive(Debug)]
struct Listed {
    changed: Duration,
    entries: Arc<[Entry]>,
}

impl SearchMemory {
    /// The entries of a folder that was last changed at this time.
    pub(crate) fn entries(&self, folder: &Path, changed: Duration) -> Option<Arc<[Entry]>> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let listed = known.get(folder.as_os_str()).filter(|listed| listed.changed == changed)?;
        Some(Arc::clone(&listed.entries))
    }

    /// Keeps the entries of a folder. The time was read before them.
    pub(crate) fn keep(&self, folder: &Path, changed: Duration, entries: &Arc<[Entry]>) {
        let listed = Listed { changed, entries: Arc::clone(entries) };
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(folder.into(), listed);
    }
}

/// The names that are looked up in each folder with configs, and that most of them lack. If another name is looked up there as well, it is asked for
/// as any other path.
pub(crate) const MARKS: [&str; 7] = [".git", ".venv", "cfg.toml", "deps", "environments", "pyproject.toml", "registry.json"];

/// The answer of a search that there is nothing at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// When the folder was last changed before it was searched, if that shows every later change.
    pub(crate) folder_changed: Option<Duration>,
}

/// A path that could not be searched.
#[derive(Debug)]
pub struct Unsearched {
    /// The path.
    pub path: PathBuf,
    /// The reason.
    pub error: io::Error,
}

impl fmt::Display for Unsearched {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.path.display(), self.error)
    }
}

impl std::error::Error for Unsearched {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}
