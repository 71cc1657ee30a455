//! The results for files that are not open, with the state of the file for which they were computed: an unchanged file need not
//! be read again.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use cfg_system::{PathMap, Status, System};

/// The resolution of modification times, with a margin: a second change of a file within this time may leave the same
/// modification time.
const MTIME_RESOLUTION: Duration = Duration::from_secs(2);

/// The results for files that are not open, as far as they depend only on the disk.
#[derive(Debug, Default)]
pub(crate) struct ResultCache {
    seen: Mutex<PathMap<CachedResult>>,
    /// The files that findings in other files depend on, each once.
    needed: Mutex<HashSet<Arc<PathBuf>>>,
}

#[derive(Debug)]
struct CachedResult {
    /// The size and the modification time; `None` if a later change could leave both the same.
    stamp: Option<(u64, Duration)>,
    /// The other files that its findings depend on.
    files: Box<[Arc<PathBuf>]>,
    /// The counter of everything else that findings depend on, when the result was computed.
    generation: u64,
    result_id: String,
}

/// The current state of a file.
#[derive(Clone, Copy)]
pub(crate) struct Now<'a> {
    pub(crate) path: &'a Path,
    /// The status of the file before it was read.
    pub(crate) status: Option<&'a Status>,
    /// A counter for everything else that findings depend on.
    pub(crate) generation: u64,
}

/// Whether a file is open.
type IsOpen<'a> = &'a dyn Fn(&PathBuf) -> bool;

impl ResultCache {
    /// Whether `result_id` is still the result of a file: its size and modification time are the same, and none of the files that
    /// its findings depend on is open.
    pub(crate) fn is_same(&self, now: Now<'_>, result_id: &str, is_open: IsOpen<'_>) -> bool {
        let stamp = now.status.and_then(|status| Some((status.size, status.modified?)));
        let is_it = |seen: &CachedResult| stamp.is_some() && seen.stamp == stamp && seen.is_current(now, result_id, is_open);
        self.seen().get(now.path.as_os_str()).is_some_and(is_it)
    }

    /// Whether `result_id` is still the result of a file with the same text. If so, its current size and modification time are
    /// recorded.
    pub(crate) fn is_same_text(&self, system: &dyn System, now: Now<'_>, result_id: &str, is_open: IsOpen<'_>) -> bool {
        let stamp = stamp(system, now.status);
        let mut seen = self.seen();
        let same = seen.get_mut(now.path.as_os_str()).filter(|seen| seen.is_current(now, result_id, is_open));
        same.map(|seen| seen.stamp = stamp).is_some()
    }

    /// Records a result, and the files that it depends on.
    pub(crate) fn note(&self, system: &dyn System, now: Now<'_>, result_id: &str, files: Box<[Arc<PathBuf>]>) {
        let Now { path, status, generation } = now;
        let seen = CachedResult { stamp: stamp(system, status), files, generation, result_id: result_id.to_owned() };
        self.seen().insert(path.as_os_str().to_owned(), seen);
    }

    /// Records that findings in other files depend on these files. Returns the stored paths, which are shared.
    pub(crate) fn needs(&self, files: Vec<PathBuf>) -> Box<[Arc<PathBuf>]> {
        let mut needed = self.needed.lock().unwrap_or_else(PoisonError::into_inner);
        let mut keep = |file: PathBuf| {
            let kept = needed.get(&file).cloned().unwrap_or_else(|| Arc::new(file));
            needed.insert(Arc::clone(&kept));
            kept
        };
        files.into_iter().map(&mut keep).collect()
    }

    /// Whether findings in another file that is not open may depend on this one.
    pub(crate) fn is_needed(&self, path: &Path) -> bool {
        self.needed.lock().unwrap_or_else(PoisonError::into_inner).contains(&path.to_owned())
    }

    fn seen(&self) -> MutexGuard<'_, PathMap<CachedResult>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CachedResult {
    /// Whether everything but the file itself is unchanged.
    fn is_current(&self, now: Now<'_>, result_id: &str, is_open: IsOpen<'_>) -> bool {
        self.generation == now.generation && self.result_id == result_id && !self.files.iter().any(|file| is_open(file))
    }
}

/// The size and the modification time of a file; `None` if a later change could leave both the same.
fn stamp(system: &dyn System, status: Option<&Status>) -> Option<(u64, Duration)> {
    let status = status?;
    let modified = status.modified.filter(|modified| *modified + MTIME_RESOLUTION < system.host().now())?;
    Some((status.size, modified))
}

#[cfg(test)]
mod tests {
    use std::{
        path::{Path, PathBuf},
        time::Duration,
    };

    use cfg_system::{Kind, OsSystem, Status};

    use super::{Now, ResultCache};

    const fn status(size: u64, modified: u64) -> Status {
        let modified = Some(Duration::from_secs(modified));
        Status { kind: Kind::File, size, modified, is_read_only: false, is_program: false }
    }

    fn now(status: Option<&Status>, generation: u64) -> Now<'_> {
        Now { path: Path::new("/a.toml"), status, generation }
    }

    #[test]
    fn a_changed_time_or_size_invalidates_a_result() {
        let (results, system) = (ResultCache::default(), OsSystem::default());
        let is_same = |status: &Status, generation| results.is_same(now(Some(status), generation), "x", &|_| false);
        assert!(!is_same(&status(1, 1), 0));
        results.note(&system, now(Some(&status(1, 1)), 0), "x", Box::default());
        assert!(is_same(&status(1, 1), 0) && !results.is_same(now(None, 0), "x", &|_| false));
        assert!(!is_same(&status(2, 1), 0) && !is_same(&status(1, 2), 0) && !is_same(&status(1, 1), 1));
        // The modification time of a file that was just written is not reliable, so the text is compared.
        let new = status(3, u64::MAX / 2);
        let has_same_text =
            |status: &Status, generation| results.is_same_text(&system, now(Some(status), generation), "x", &|_| false);
        results.note(&system, now(Some(&new), 0), "x", Box::default());
        assert!(!is_same(&new, 0) && has_same_text(&new, 0) && !has_same_text(&new, 1));
        assert!(has_same_text(&status(4, 1), 0) && is_same(&status(4, 1), 0), "its times are known");
    }

    #[test]
    fn opening_a_dependency_invalidates_a_result() {
        let (results, system, status) = (ResultCache::default(), OsSystem::default(), status(1, 1));
        let (file, other) = (now(Some(&status), 0), PathBuf::from("/base.toml"));
        results.note(&system, file, "x", results.needs(vec![other.clone()]));
        assert!(results.is_needed(&other) && !results.is_needed(Path::new("/a.toml")));
        assert!(results.is_same(file, "x", &|_| false) && !results.is_same(file, "y", &|_| false));
        assert!(!results.is_same(file, "x", &|file| *file == other));
        assert!(!results.is_same_text(&system, file, "x", &|file| *file == other));
    }
}
