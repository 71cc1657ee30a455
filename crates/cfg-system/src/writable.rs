//! Changes of files. Only commands that were asked to change something have a system that can.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use crate::System;

/// A system in which files can be changed. Each function happens completely or not at all, even if the process is interrupted; but if a file with
/// several names, or of another owner, is replaced, its old content may be left beside it (`.NAME.cfg-old`).
pub trait WritableSystem: System {
    /// Creates a folder, which may already exist.
    ///
    /// # Errors
    ///
    /// If it can't be created, or something else exists there.
    fn create_folder(&self, path: &Path) -> io::Result<()>;

    /// Whether a file may be created or changed at a path, or in a folder that is created for it: asked before the first of several files is written, so
    /// that none is if another one is refused.
    ///
    /// # Errors
    ///
    /// If writing there is refused.
    fn may_write(&self, path: &Path) -> io::Result<()>;

    /// Creates a file with these bytes, on the disk.
    ///
    /// # Errors
    ///
    /// If something already exists at the path, or the file can't be created.
    fn create(&self, path: &Path, bytes: &[u8], mode: NewMode<'_>) -> io::Result<()>;

    /// Replaces the bytes of a file, on the disk, if it still contains `old`. Owner, group, mode, links and hard links stay.
    ///
    /// The links of a path that the user named are followed; any other path must not lead through a link.
    ///
    /// # Errors
    ///
    /// If its content has changed, or it may not be changed.
    fn replace(&self, path: &Path, old: &[u8], new: &[u8]) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    ///
    /// If it does not exist, or can't be removed.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Waits until the names in a folder are on the disk.
    ///
    /// # Errors
    ///
    /// If the disk fails.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;

    /// Takes the lock of a file, which is created if it does not exist; `None` if another process holds it.
    ///
    /// # Errors
    ///
    /// If the file can't be opened, or is not a file.
    fn lock(&self, path: &Path) -> io::Result<Option<Lock>>;

    /// Like [`seal`](System::seal), with a new secret if there is none yet. `None` if there is no place for one.
    fn new_seal(&self, bytes: &[u8]) -> Option<String>;

    /// A new folder for temporary files with an unpredictable name, which is deleted when it is dropped.
    ///
    /// # Errors
    ///
    /// If it can't be created.
    fn temporary_folder(&self, prefix: &str) -> io::Result<TemporaryFolder>;
}

/// The mode of a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewMode<'a> {
    /// That of any new file.
    Plain,
    /// That of any new program.
    Program,
    /// Only its owner can read it.
    Private,
    /// The mode of a new file, but not readable for users who may not read all of these files.
    PlainLike(&'a [&'a Path]),
    /// The mode of another file without write permission; if there is no such file, that of a new file without it.
    ReadOnlyLike(&'a Path),
}

/// A lock that is held until it is dropped, or the process ends.
pub struct Lock(#[expect(dead_code, reason = "it is held, not used")] Option<Box<dyn Send + Sync>>);

impl Lock {
    /// A lock that is held by a value.
    pub fn held(by: impl Send + Sync + 'static) -> Self {
        Self(Some(Box::new(by)))
    }

    /// A lock that holds nothing.
    pub const fn free() -> Self {
        Self(None)
    }
}

impl fmt::Debug for Lock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Lock")
    }
}

/// A folder for temporary files.
pub struct TemporaryFolder {
    path: PathBuf,
    #[expect(dead_code, reason = "dropping it removes the folder")]
    keeper: Box<dyn Send + Sync>,
}

impl TemporaryFolder {
    /// The folder at a path, which is deleted when `keeper` is dropped.
    pub fn new(path: PathBuf, keeper: impl Send + Sync + 'static) -> Self {
        Self { path, keeper: Box::new(keeper) }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Debug for TemporaryFolder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("TemporaryFolder").field(&self.path).finish()
    }
}
