//! Texts over another system, for one answer: records the files that it depends on.

use std::{
    collections::HashMap,
    fmt, io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::{Entry, Overlay, Role, Scope, Status, System};

/// An overlay that records the requested files, whether they are on disk, in the overlay, or missing. The contents of folders and the targets of
/// links do not depend on the overlay, so they are not recorded.
pub struct Recorded {
    files: Overlay,
    requests: Mutex<HashMap<PathBuf, Requests>>,
}

/// The requests for a file.
#[derive(Clone, Copy, Default)]
struct Requests {
    /// Whether its content was requested, not only its existence.
    is_read: bool,
    /// Whether the answer was a text of the overlay.
    is_overlaid: bool,
}

impl Recorded {
    /// Over the same system, with the same texts and no requests yet.
    pub fn new(files: &Overlay) -> Self {
        Self { files: files.clone(), requests: Mutex::default() }
    }

    /// Whether the content of a file was requested.
    pub fn has_read(&self, path: &Path) -> bool {
        self.requests().get(path).is_some_and(|requests| requests.is_read)
    }

    /// Whether a file was requested, even if only its existence.
    pub fn is_requested(&self, path: &Path) -> bool {
        self.requests().contains_key(path)
    }

    /// The requested files, in no order.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.requests().keys().cloned().collect()
    }

    /// Whether all of them have their state on disk: none had or has a text in the overlay.
    pub fn is_of_disk(&self) -> bool {
        self.requests().iter().all(|(path, requests)| !requests.is_overlaid && !self.files.has_any(std::slice::from_ref(path)))
    }

    fn requests(&self) -> MutexGuard<'_, HashMap<PathBuf, Requests>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, path: &Path, is_read: bool) {
        let path = self.files.path(path);
        let is_overlaid = self.files.has_any(std::slice::from_ref(&path));
        let mut requests = self.requests();
        let requests = requests.entry(path).or_default();
        *requests = Requests { is_read: requests.is_read || is_read, is_overlaid: requests.is_overlaid || is_overlaid };
    }
}

impl fmt::Debug for Recorded {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Recorded").field("files", &self.files).field("requests", &self.requests().len()).finish()
    }
}

impl System for Recorded {
    crate::delegate!(files);

    fn read(&self, path: &Path, role: Role) -> io::Result<Vec<u8>> {
        self.note(path, true);
        self.files.read(path, role)
    }

    fn open_stream(&self, path: &Path) -> io::Result<Box<dyn io::Read + Send>> {
        self.note(path, true);
        self.files.open_stream(path)
    }

    fn status(&self, path: &Path) -> io::Result<Status> {
        self.note(path, false);
        self.files.status(path)
    }

    fn own_status(&self, path: &Path) -> io::Result<Status> {
        self.note(path, false);
        self.files.own_status(path)
    }

    fn list(&self, folder: &Path, scope: Scope) -> io::Result<Vec<Entry>> {
        self.files.list(folder, scope)
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        self.files.real(path)
    }
}

#[cfg(test)]
mod tests {
    use std::{path::Path, sync::Arc};

    use super::Recorded;
    use crate::{MemorySystem, Overlay, Role, System};

    #[test]
    fn requests_are_recorded_for_disk_and_overlay() {
        let disk = MemorySystem::with_files([("a/disk.toml", "1"), ("a/other.toml", "2")]);
        let files = Overlay::with(Arc::new(disk), Path::new("/a/open.toml"), *b"3");
        let recorded = Recorded::new(&files);
        let system: &dyn System = &recorded;
        assert!(recorded.is_of_disk() && recorded.paths().is_empty());
        assert_eq!(system.text(Path::new("/a/b/../disk.toml"), Role::Config).as_deref(), Some("1"));
        assert!(!system.is_file(Path::new("/a/absent.toml")));
        let requests = |path: &str| (recorded.is_requested(Path::new(path)), recorded.has_read(Path::new(path)));
        assert_eq!(requests("/a/disk.toml"), (true, true));
        assert_eq!(requests("/a/absent.toml"), (true, false));
        assert_eq!(requests("/a/other.toml"), (false, false));
        assert!(recorded.is_of_disk() && recorded.paths().len() == 2);
        // A text that is put over a file later changes the result, as long as it is there.
        files.put(Path::new("/a/absent.toml"), *b"4");
        assert!(!recorded.is_of_disk());
        files.take(Path::new("/a/absent.toml"));
        assert!(recorded.is_of_disk());
        // A text that was the answer remains recorded.
        assert_eq!(system.text(Path::new("/a/open.toml"), Role::Config).as_deref(), Some("3"));
        files.take(Path::new("/a/open.toml"));
        assert!(!recorded.is_of_disk());
    }
}
