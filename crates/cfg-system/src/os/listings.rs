//! What searches have listed: a project's files are looked up in the folder of each config, and most folders have none of them.

use std::{
    collections::HashMap,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf, is_separator},
    sync::{PoisonError, RwLock},
    time::Duration,
};

use crate::{Missing, search::MARKS};

/// The folders in which a search has found none of [`MARKS`], by their absolute paths, each with the time of its last change if that will show the
/// next one; `None` if this is not kept.
#[derive(Default)]
pub(super) struct Listings(RwLock<Option<HashMap<OsString, Option<Duration>>>>);

/// A folder that has none of [`MARKS`].
pub(super) struct Bare {
    pub(super) folder: PathBuf,
    /// When it was last changed, if that will show the next change.
    pub(super) changed: Option<Duration>,
}

impl Listings {
    /// Keeps what later searches list, or drops what is kept.
    pub(super) fn keep(&self, keep: bool) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = keep.then(HashMap::new);
    }

    /// Whether it is kept.
    pub(super) fn are_kept(&self) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Adds folders that have none of the names.
    pub(super) fn add(&self, bare: Vec<Bare>) {
        if let Some(known) = &mut *self.0.write().unwrap_or_else(PoisonError::into_inner) {
            known.extend(bare.into_iter().map(|Bare { folder, changed }| (folder.into_os_string(), changed)));
        }
    }

    /// Whether a search has found that there is nothing at a path.
    pub(super) fn missing(&self, path: &Path) -> Option<Missing> {
        let bytes = path.as_os_str().as_encoded_bytes();
        let end = bytes.iter().rposition(|byte| is_separator(char::from(*byte)))?;
        if !MARKS.iter().any(|mark| mark.as_bytes() == &bytes[end + 1..]) {
            return None;
        }
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let folder_changed = *known.as_ref()?.get(path.parent()?.as_os_str())?;
        Some(Missing { folder_changed })
    }
}

/// Whether a name is, on any file system, one of those that are looked up.
pub(super) fn is_mark(name: &OsStr) -> bool {
    MARKS.iter().any(|mark| name.eq_ignore_ascii_case(mark))
}
