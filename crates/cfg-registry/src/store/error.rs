//! Why the store failed, and the state in which the files are left.

use std::{fmt, io, path::PathBuf};

use cfg_system::Kind;

/// Why the store failed.
#[derive(Debug)]
pub enum Error {
    /// The file system failed.
    Io {
        /// The step, in words that follow "can't": "write configs/a.toml".
        doing: String,
        /// The error.
        error: io::Error,
        /// The state of the files.
        left: Left,
    },
    /// Another process was using the registry during the whole waiting time.
    Busy {
        /// The lock file.
        lock: PathBuf,
    },
    /// The content of a file is not the one for which the change was planned.
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The permissions of a file forbid writing.
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// The path to replace is not a file.
    NoFile {
        /// The path.
        path: PathBuf,
    },
    /// The path to replace is outside the repository.
    Outside {
        /// The path.
        path: PathBuf,
    },
    /// A path of the registry is a link, or of an unexpected type.
    Odd {
        /// The path.
        path: PathBuf,
        /// The expected type.
        kind: Kind,
    },
    /// The new text of the registry has an error.
    Unsound {
        /// The error.
        why: String,
    },
    /// There is a journal of an interrupted change, but it was not written by this user on this machine, or git tracks it.
    Journal {
        /// The journal.
        path: PathBuf,
    },
}

/// The state in which a failed change leaves the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// Unchanged.
    AsBefore,
    /// Partly changed; the next command completes it.
    Begun,
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { doing, error, left } => {
                write!(formatter, "can't {doing}: {}; ", why(error))?;
                formatter.write_str(match left {
                    Left::AsBefore => "nothing was changed",
                    Left::Begun => "the change has started; the next `cfg` command that uses this registry will finish it",
                })
            }
            Self::Busy { lock } => {
                write!(formatter, "the registry is locked by another `cfg` ({}); nothing was changed", lock.display())
            }
            Self::Changed { path } => {
                write!(formatter, "{} was changed in the meantime; nothing was written, run the command again", path.display())
            }
            Self::ReadOnly { path } => write!(formatter, "{} is not writable; nothing was changed", path.display()),
            Self::NoFile { path } => write!(formatter, "{} is not a file; nothing was changed", path.display()),
            Self::Outside { path } => {
                write!(formatter, "{} leads out of the repository; nothing was changed", path.display())
            }
            Self::Odd { path, kind } => {
                let wanted = if *kind == Kind::Folder { "folder" } else { "regular file" };
                let path = path.display();
                write!(formatter, "{path} is a link or not a {wanted}, so it is not used; nothing was changed: remove it")
            }
            Self::Unsound { why } => write!(formatter, "{why}; nothing was changed"),
            Self::Journal { path } => {
                let path = path.to_string_lossy();
                let word = cfg_diag::word(&path);
                write!(
                    formatter,
                    "{path} is the journal of a change that was not started by this user on this machine, or that git tracks, so \
                     it is not used; nothing was changed: inspect it (`git log -- {word}` shows who added it), then remove it \
                     (`rm {word}`)"
                )
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// The error in words.
fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::StorageFull => "no space left on the disk".to_owned(),
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_owned(),
        _ => error.to_string(),
    }
}
