//! Options for searching folders.

use std::{
    collections::HashMap,
    ffi::OsString,
    fmt, io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use crate::{Entry, observed::RECENT};

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

    /// Keeps the entries of a folder, unless it was changed so recently that another change may have the same time. Both times were read before the
    /// entries.
    pub(crate) fn keep(&self, folder: &Path, (changed, now): (Duration, Duration), entries: &Arc<[Entry]>) {
        if changed + RECENT < now {
            let listed = Listed { changed, entries: Arc::clone(entries) };
            self.0.write().unwrap_or_else(PoisonError::into_inner).insert(folder.into(), listed);
        }
    }
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
