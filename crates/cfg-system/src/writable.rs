//! Changes of files. Only commands that were asked to change something have a system that can.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use crate::System;

/// A system in which files can be changed. Each function either happens as a whole or not at all, whatever ends the process;
/// but where a file with several names, or of another owner, is replaced, what it held may be left beside it (`.NAME.cfg-old`).
pub trait WritableSystem: System {
    /// Makes a folder; it may be there.
    ///
    /// # Errors
    ///
    /// Where it can't be made, or something else is there.
    fn create_folder(&self, path: &Path) -> io::Result<()>;

    /// Makes a file that holds these bytes, on the disk.
    ///
    /// # Errors
    ///
    /// Where something is at the path already, or the file can't be made.
    fn create(&self, path: &Path, bytes: &[u8], mode: NewMode<'_>) -> io::Result<()>;

    /// Gives a file other bytes, on the disk, if it still holds `old`. Owner, group, mode, links and hard links stay.
    ///
    /// A path that the user named is followed where it leads; any other must not lead through a link.
    ///
    /// # Errors
    ///
    /// Where it holds something else by now, or may not be changed.
    fn replace(&self, path: &Path, old: &[u8], new: &[u8]) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    ///
    /// Where there is none, or it can't be removed.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Waits until the names in a folder are on the disk.
    ///
    /// # Errors
    ///
    /// Where the disk fails.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;

    /// Takes the lock that a file stands for, which is made if it is not there; `None` if another process holds it.
    ///
    /// # Errors
    ///
    /// Where the file can't be opened, or is none.
    fn lock(&self, path: &Path) -> io::Result<Option<Lock>>;

    /// As [`seal`](System::seal), with a new secret if there is none yet. `None` if there is no place for one.
    fn new_seal(&self, bytes: &[u8]) -> Option<String>;

    /// A new folder for temporary files whose name can't be foreseen, and which goes when it is dropped.
    ///
    /// # Errors
    ///
    /// Where none can be made.
    fn temporary_folder(&self, prefix: &str) -> io::Result<TemporaryFolder>;
}

/// The mode of a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewMode<'a> {
    /// As any new file has it.
    Plain,
    /// As any new program has it.
    Program,
    /// Nobody but its owner reads it.
    Private,
    /// As any new file has it, but for those who may not read all of these files.
    PlainLike(&'a [&'a Path]),
    /// That of another file, without the right to write; where there is no such file, that of any new file without it.
    ReadOnlyLike(&'a Path),
}

/// Something that is held until it is dropped, or the process ends.
pub struct Lock(#[expect(dead_code, reason = "it is held, not used")] Option<Box<dyn Send + Sync>>);

impl Lock {
    /// A lock that this stands for.
    pub fn held(by: impl Send + Sync + 'static) -> Self {
        Self(Some(Box::new(by)))
    }

    /// A lock that nothing stands for.
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
    /// The folder at a path, which goes when `keeper` is dropped.
    pub fn new(path: PathBuf, keeper: impl Send + Sync + 'static) -> Self {
        Self { path, keeper: Box::new(keeper) }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Debug for TemporaryFolder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("TemporaryFolder").field(&self.path).finish()
    }
}
