//! Files that are written for the client to show. They are in a private folder with an unpredictable name, so that no other user can place a link
//! there while this process runs.

use std::{
    fmt, io,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use cfg_system::{NewMode, TemporaryFolder, WritableSystem};

/// The folder, created on first use and deleted when this value is dropped.
pub(crate) struct Scratch {
    system: Arc<dyn WritableSystem>,
    folder: Mutex<Option<TemporaryFolder>>,
}

impl Scratch {
    pub(crate) fn new(system: Arc<dyn WritableSystem>) -> Self {
        Self { system, folder: Mutex::default() }
    }

    /// Writes a text to a file, replacing its content. `below` is a folder within the private folder; empty for the private folder itself.
    pub(crate) fn put(&self, below: &str, name: &str, text: &str) -> io::Result<PathBuf> {
        let mut folder = self.folder.lock().unwrap_or_else(PoisonError::into_inner);
        let made = match folder.take() {
            Some(made) => made,
            None => self.system.temporary_folder("cfg-lsp-")?,
        };
        let folder = folder.insert(made).path().join(below);
        self.system.create_folder(&folder)?;
        let path = folder.join(name);
        match self.system.remove(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        self.system.create(&path, text.as_bytes(), NewMode::Plain)?;
        Ok(path)
    }

    /// Deletes the folder.
    pub(crate) fn clean_up(&self) {
        drop(self.folder.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

impl fmt::Debug for Scratch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Scratch").finish_non_exhaustive()
    }
}
