//! Files that are not open, as they were when they were last read: an unchanged one need not be read again.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use cfg_system::{Status, System};

/// Within this time after a file was written, another change of it may have the same time.
const RECENT: Duration = Duration::from_secs(2);

/// The results for files whose findings depend only on their own text.
#[derive(Debug, Default)]
pub(crate) struct Looked(Mutex<HashMap<PathBuf, Seen>>);

#[derive(Debug)]
struct Seen {
    size: u64,
    modified: Duration,
    /// The generation of everything else that findings depend on, at that time.
    generation: u64,
    result_id: String,
}

impl Looked {
    /// Whether a file still has the result that the client has.
    pub(crate) fn is_same(&self, path: &Path, status: Option<&Status>, generation: u64, known: &str) -> bool {
        let is_it = |seen: &Seen| {
            let is_file = status.is_some_and(|status| status.size == seen.size && status.modified == Some(seen.modified));
            is_file && seen.generation == generation && seen.result_id == known
        };
        self.seen().get(path).is_some_and(is_it)
    }

    /// Records the result of a file that had this status before it was read.
    pub(crate) fn note(&self, system: &dyn System, path: &Path, status: Option<&Status>, generation: u64, result_id: &str) {
        let Some(status) = status else { return };
        let now = system.host().now();
        let Some(modified) = status.modified.filter(|modified| *modified + RECENT < now) else { return };
        let seen = Seen { size: status.size, modified, generation, result_id: result_id.to_owned() };
        self.seen().insert(path.to_owned(), seen);
    }

    fn seen(&self) -> MutexGuard<'_, HashMap<PathBuf, Seen>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::{path::Path, time::Duration};

    use cfg_system::{Kind, OsSystem, Status};

    use super::Looked;

    #[test]
    fn a_file_with_another_time_or_size_is_another() {
        let (looked, system, path) = (Looked::default(), OsSystem::default(), Path::new("/a.toml"));
        let status = |size, modified| Status {
            kind: Kind::File,
            size,
            modified: Some(Duration::from_secs(modified)),
            is_read_only: false,
            is_program: false,
        };
        let is_same = |status: &Status, generation| looked.is_same(path, Some(status), generation, "x");
        assert!(!is_same(&status(1, 1), 0));
        looked.note(&system, path, Some(&status(1, 1)), 0, "x");
        assert!(is_same(&status(1, 1), 0) && !looked.is_same(path, None, 0, "x"));
        assert!(!is_same(&status(2, 1), 0) && !is_same(&status(1, 2), 0) && !is_same(&status(1, 1), 1));
        // For a file that has just been written, the time does not show a change.
        looked.note(&system, path, Some(&status(3, u64::MAX / 2)), 0, "x");
        assert!(!is_same(&status(3, u64::MAX / 2), 0));
    }
}
