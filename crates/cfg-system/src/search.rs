//! Options for searching folders.

use std::{fmt, io, path::PathBuf};

/// Options for searching folders.
#[derive(Clone, Copy, Debug)]
pub struct SearchOptions {
    /// Whether `.gitignore` and `.ignore` files are respected.
    pub respect_ignores: bool,
    /// Whether hidden files and folders are searched as well.
    pub hidden: bool,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self { respect_ignores: true, hidden: false }
    }
}

/// A path that could not be searched.
#[derive(Debug)]
pub struct Unsearched {
    /// The path.
    pub path: PathBuf,
    /// The reason.
    pub error: io::Error,
}

impl fmt::Display for Unsearched {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.path.display(), self.error)
    }
}

impl std::error::Error for Unsearched {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}
