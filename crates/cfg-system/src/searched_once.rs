//! A system for a process that answers once: what it has looked at is not looked at again.

use std::{
    borrow::Cow,
    fmt, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use crate::{
    Entry, Kind, PathMap, ProjectlessFolders, Role, Scope, SearchOptions, Status, System, Unsearched, absolute::goes_back,
};

/// The entries of folders as one process has listed them.
#[derive(Debug, Default)]
pub struct Listings(RwLock<Listed>);

#[derive(Debug, Default)]
struct Listed {
    folders: PathMap<Arc<[Entry]>>,
    /// The number of their entries.
    entries: usize,
}

/// The maximum number of entries that are kept. A folder can contain millions of files, and a repository as many folders.
const MAX_ENTRIES: usize = 1 << 16;

impl Listings {
    /// The entries of a folder, all of them, if it has been listed.
    pub(crate) fn entries(&self, folder: &Path) -> Option<Arc<[Entry]>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).folders.get(folder.as_os_str()).map(Arc::clone)
    }

    /// Keeps all the entries of a folder.
    pub(crate) fn keep(&self, folder: &Path, entries: &Arc<[Entry]>) {
        let mut listed = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if listed.entries + entries.len() < MAX_ENTRIES {
            // An empty folder takes space as well.
            listed.entries += entries.len() + 1;
            listed.folders.insert(folder.into(), Arc::clone(entries));
        }
    }
}

/// Files that were read ahead, by their absolute paths.
#[derive(Debug, Default)]
struct Ahead {
    files: PathMap<(Role, Vec<u8>)>,
    bytes: usize,
}

/// The maximum size of all files that are read ahead and not yet read, in bytes.
const MAX_BYTES: usize = 16 << 20;

/// A system that asks nothing about names that its searches did not find, lists each folder once, and reads a file that was
/// [read ahead](System::read_ahead) from memory. What is changed later may be missed, so this is for a process that answers once.
pub struct SearchedOnce {
    base: Arc<dyn System>,
    projectless: ProjectlessFolders,
    listings: Listings,
    ahead: Mutex<Ahead>,
}

impl SearchedOnce {
    /// Over another system, with nothing searched yet.
    pub fn new(base: Arc<dyn System>) -> Self {
        Self { base, projectless: ProjectlessFolders::default(), listings: Listings::default(), ahead: Mutex::default() }
    }

    /// The absolute path of a file that may be kept; `None` for one that goes back: where it leads depends on the links on its way, and so does whether it
    /// may be read.
    fn place<'p>(&self, path: &'p Path) -> Option<Cow<'p, Path>> {
        (!goes_back(path)).then(|| (*self.base).plain(path))
    }

    /// The bytes of a file that was read ahead for the same role, which are read once more at most.
    fn take_ahead(&self, path: &Path, role: Role) -> Option<Vec<u8>> {
        let mut ahead = self.ahead.lock().unwrap_or_else(PoisonError::into_inner);
        if ahead.files.is_empty() {
            return None;
        }
        let place = self.place(path)?;
        let (of, _) = ahead.files.get(place.as_os_str())?;
        if *of != role {
            return None;
        }
        let (_, bytes) = ahead.files.remove(place.as_os_str())?;
        ahead.bytes -= bytes.len();
        Some(bytes)
    }

    /// The entries of a folder at an absolute path that was come to from the folder around it. Where a search began, a link may lead elsewhere.
    fn listed(&self, place: &Path) -> Option<Arc<[Entry]>> {
        let is_there = |entry: &Entry| entry.kind == Kind::Folder && Some(&*entry.name) == place.file_name();
        let around = self.listings.entries(place.parent()?)?;
        around.iter().any(is_there).then(|| self.listings.entries(place)).flatten()
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
        if let Some(bytes) = self.take_ahead(path, role) {
            return Ok(bytes);
        }
        self.base.read(path, role)
    }

    fn read_ahead(&self, path: &Path, role: Role) -> io::Result<Vec<u8>> {
        let bytes = self.read(path, role)?;
        let mut ahead = self.ahead.lock().unwrap_or_else(PoisonError::into_inner);
        if ahead.bytes + bytes.len() <= MAX_BYTES
            && let Some(place) = self.place(path)
        {
            ahead.bytes += bytes.len();
            if let Some((_, former)) = ahead.files.insert(place.into_owned().into_os_string(), (role, bytes.clone())) {
                ahead.bytes -= former.len();
            }
        }
        Ok(bytes)
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
        Ok(self.entries(folder, scope)?.to_vec())
    }

    fn entries(&self, folder: &Path, scope: Scope) -> io::Result<Arc<[Entry]>> {
        let place = self.place(folder);
        // What is inside may be listed from around as well, but not the other way round.
        if let Some(listed) = place.as_deref().and_then(|place| self.listed(place)) {
            return Ok(listed);
        }
        let entries = self.base.entries(folder, scope)?;
        if let Some(place) = place.filter(|_| scope == Scope::Inside) {
            self.listings.keep(&place, &entries);
        }
        Ok(entries)
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
        self.base.search(
            folders,
            SearchOptions { projectless: Some(&self.projectless), listings: Some(&self.listings), ..options },
            wanted,
        )
    }
}
