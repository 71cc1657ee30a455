//! Which folders are there.

use std::{
    path::Path,
    sync::{Mutex, PoisonError},
};

use cfg_system::{PathMap, System, tidy};

/// Whether folders are there to which launches change: thousands of launches can name a few that are not.
#[derive(Debug, Default)]
pub(super) struct There(Mutex<PathMap<bool>>);

impl There {
    pub(super) fn has(&self, system: &dyn System, folder: &Path) -> bool {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known().get(folder.as_os_str()).copied();
        found.unwrap_or_else(|| {
            let is_there = system.is_folder(&tidy(folder));
            known().insert(folder.as_os_str().to_owned(), is_there);
            is_there
        })
    }
}
