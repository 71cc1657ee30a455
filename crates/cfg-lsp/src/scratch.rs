//! Files that are written for the client to show. They are in a folder whose name can't be foreseen and that is ours alone, so that nobody
//! else can put a link into it, for as long as this process serves.

use std::{
    fmt, io,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use cfg_system::{NewMode, TemporaryFolder, WritableSystem};

/// The folder, which is made when it is first asked for, and goes with this value.
pub(crate) struct Scratch {
    system: Arc<dyn WritableSystem>,
    folder: Mutex<Option<TemporaryFolder>>,
}

impl Scratch {
    pub(crate) fn new(system: Arc<dyn WritableSystem>) -> Self {
        Self { system, folder: Mutex::default() }
    }

    /// Puts a text into a file of this name, in place of what it held. `below` is the folder within the folder; empty for itself.
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

    /// Takes the folder away.
    pub(crate) fn clean_up(&self) {
        drop(self.folder.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

impl fmt::Debug for Scratch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Scratch").finish_non_exhaustive()
    }
}
