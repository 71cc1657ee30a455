//! Folders without the names of a project: a search knows which these are.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
};

use super::{MTIME_RESOLUTION, Observed};
use crate::projectless::PROJECT_NAMES;

/// As long as this exists, names that searches of an [`Observed`] did not find are not asked for again. Their absence is remembered like any other
/// answer, so a later [`Observed::changed_files`] notices what was added meanwhile.
pub struct KeptSearches(Arc<Observed>);

impl Drop for KeptSearches {
    fn drop(&mut self) {
        if self.0.kept.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.0.projectless.clear();
        }
    }
}

impl Observed {
    /// Keeps what searches find until the result is dropped.
    pub fn keep_searches(self: &Arc<Self>) -> KeptSearches {
        self.kept.fetch_add(1, Ordering::SeqCst);
        KeptSearches(Arc::clone(self))
    }

    /// Adds the names of a project that are now in folders that had none.
    #[expect(clippy::iter_over_hash_type, reason = "what is found is sorted")]
    pub(super) fn add_new_projects(&self, changed: &mut Vec<PathBuf>) {
        let mut added = Vec::new();
        for (folder, known) in self.without_project().iter_mut() {
            let folder = Path::new(folder);
            // Read before the names, so that an addition in between is noticed next time.
            let now = self.base.host().now();
            let time = self.base.status(folder).ok().and_then(|status| status.modified);
            if time == Some(*known) {
                continue;
            }
            let before = added.len();
            added.extend(PROJECT_NAMES.iter().map(|name| folder.join(name)).filter(|path| self.base.is_there(path)));
            if let Some(time) = time.filter(|time| added.len() == before && *time + MTIME_RESOLUTION < now) {
                *known = time;
            }
        }
        if !added.is_empty() {
            changed.append(&mut added);
            changed.sort();
            changed.dedup();
        }
    }
}
