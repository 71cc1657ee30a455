//! What the checks may ask of a machine. None of it changes anything.

use std::{
    io,
    path::{Path, PathBuf},
};

/// A machine.
pub(crate) trait Machine {
    /// A variable of the environment; nothing where it is not set or empty.
    fn variable(&self, name: &str) -> Option<String>;
    /// Where a program lies that the PATH has.
    fn program(&self, name: &str) -> Option<PathBuf>;
    /// The names in a folder, sorted.
    fn names(&self, folder: &Path) -> io::Result<Vec<String>>;
    /// The text of a small file.
    fn text(&self, path: &Path) -> io::Result<String>;
    /// Whether there is something at a path.
    fn exists(&self, path: &Path) -> bool;
    /// Bytes that are free for us on the disk of a path, which need not exist yet.
    fn free_bytes(&self, path: &Path) -> Option<u64>;
    /// How many files may be open: the limit that holds, and the one up to which it can be raised. Nothing where there is none.
    fn open_files(&self) -> Option<(Option<u64>, Option<u64>)>;
    /// The processes but this one and those above it.
    fn processes(&self) -> Vec<Process>;
    /// Whether something listens on a port; nothing where that can't be told.
    fn listens(&self, port: u16) -> Option<bool>;
}

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    /// Its number.
    pub(crate) id: u32,
    /// Its words.
    pub(crate) words: Vec<String>,
}
