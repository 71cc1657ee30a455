//! Options for searching folders.

use std::{
    collections::{HashMap, HashSet},
    ffi::OsString,
    fmt, io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use crate::{Entry, Listings, ProjectlessFolders};

/// Options for searching folders.
#[derive(Clone, Copy, Debug)]
pub struct SearchOptions<'m> {
    /// Whether `.gitignore` and `.ignore` files are respected.
    pub respect_ignores: bool,
    /// Whether hidden files and folders are searched as well.
    pub hidden: bool,
    /// What earlier searches of the same folders have listed; `None` to list everything.
    pub memory: Option<&'m SearchMemory>,
    /// The folders that this process has listed; `None` to list each anew.
    pub listings: Option<&'m Listings>,
    /// Where folders without a project's files are noted; `None` if nobody needs these.
    pub projectless: Option<&'m ProjectlessFolders>,
    /// Where files are counted that are left out because of `.gitignore` and `.ignore` files; `None` if nobody needs their number.
    pub ignored: Option<&'m IgnoredFiles>,
    /// Where those of the files are noted that are links; `None` if nobody needs to know.
    pub links: Option<&'m FoundLinks>,
}

impl Default for SearchOptions<'_> {
    fn default() -> Self {
        Self { respect_ignores: true, hidden: false, memory: None, listings: None, projectless: None, ignored: None, links: None }
    }
}

/// The links to files that a search finds: their paths as it gives them.
#[derive(Debug, Default)]
pub struct FoundLinks(Mutex<HashSet<PathBuf>>);

impl FoundLinks {
    /// The links.
    pub fn into_paths(self) -> HashSet<PathBuf> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a link.
    pub(crate) fn add(&self, file: &Path) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(file.to_owned());
    }
}

/// The files that a search leaves out because of `.gitignore` and `.ignore` files. Hidden ones are not counted.
#[derive(Debug)]
pub struct IgnoredFiles {
    is_counted: fn(&Path) -> bool,
    files: AtomicUsize,
    folders: AtomicUsize,
}

/// The maximum number of ignored folders in which files are counted: they can have millions of files.
const MAX_IGNORED: usize = 10_000;

impl IgnoredFiles {
    /// For those of the wanted files that are counted by their names.
    pub const fn new(is_counted: fn(&Path) -> bool) -> Self {
        Self { is_counted, files: AtomicUsize::new(0), folders: AtomicUsize::new(0) }
    }

    /// How many there are; of more than can be counted, at least so many.
    pub fn count(&self) -> usize {
        self.files.load(Ordering::Relaxed)
    }

    /// Whether there are more than that.
    pub fn is_more(&self) -> bool {
        self.folders.load(Ordering::Relaxed) > MAX_IGNORED
    }

    /// Adds a file.
    pub(crate) fn add(&self, file: &Path) {
        self.files.fetch_add(usize::from((self.is_counted)(file)), Ordering::Relaxed);
    }

    /// Adds a folder; returns whether its files are to be counted.
    pub(crate) fn may_enter(&self) -> bool {
        self.folders.fetch_add(1, Ordering::Relaxed) < MAX_IGNORED
    }
}

/// The entries of folders, each with the time of the folder's last change: as long as that is the same, so are its entries. Only entries that the
/// search uses are kept, so a memory is for searches for the same files.
#[derive(Debug, Default)]
pub struct SearchMemory(RwLock<HashMap<OsString, Listing>>);

#[derive(Debug)]
struct Listing {
    changed: Duration,
    entries: Arc<[Entry]>,
}

/// The maximum number of folders in a memory. Beyond it, it starts again: folders that are gone stay in it.
const MAX_FOLDERS: usize = 1 << 16;

impl SearchMemory {
    /// The entries of a folder that was last changed at this time.
    pub(crate) fn entries(&self, folder: &Path, changed: Duration) -> Option<Arc<[Entry]>> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let listing = known.get(folder.as_os_str()).filter(|listing| listing.changed == changed)?;
        Some(Arc::clone(&listing.entries))
    }

    /// Keeps the entries of a folder. The time was read before them.
    pub(crate) fn keep(&self, folder: &Path, changed: Duration, entries: &Arc<[Entry]>) {
        let listing = Listing { changed, entries: Arc::clone(entries) };
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_FOLDERS {
            known.clear();
        }
        known.insert(folder.into(), listing);
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
