//! What searches have listed: a project's files are looked up in the folder of each config, and most folders have none of them.

use std::{
    collections::HashSet,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf, is_separator},
    sync::{PoisonError, RwLock},
};

/// The names that are looked up in each folder with configs. Any of them may be missing here; then it is asked for as any other path.
const MARKS: [&str; 7] = [".git", ".venv", "cfg.toml", "deps", "environments", "pyproject.toml", "registry.json"];

/// The folders in which a search has found none of [`MARKS`], by their absolute paths; `None` if this is not kept.
#[derive(Default)]
pub(super) struct Listings(RwLock<Option<HashSet<OsString>>>);

impl Listings {
    /// Keeps what later searches list, or drops what is kept.
    pub(super) fn keep(&self, keep: bool) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = keep.then(HashSet::new);
    }

    /// Whether it is kept.
    pub(super) fn are_kept(&self) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Adds folders that have none of the names.
    pub(super) fn add(&self, bare: Vec<PathBuf>) {
        if let Some(known) = &mut *self.0.write().unwrap_or_else(PoisonError::into_inner) {
            known.extend(bare.into_iter().map(PathBuf::into_os_string));
        }
    }

    /// Whether a search has found that there is nothing at a path.
    pub(super) fn lack(&self, path: &Path) -> bool {
        let bytes = path.as_os_str().as_encoded_bytes();
        let Some(end) = bytes.iter().rposition(|byte| is_separator(char::from(*byte))) else { return false };
        if !MARKS.iter().any(|mark| mark.as_bytes() == &bytes[end + 1..]) {
            return false;
        }
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.as_ref().is_some_and(|bare| path.parent().is_some_and(|folder| bare.contains(folder.as_os_str())))
    }
}

/// Whether a name is, on any file system, one of those that are looked up.
pub(super) fn is_mark(name: &OsStr) -> bool {
    MARKS.iter().any(|mark| name.eq_ignore_ascii_case(mark))
}
