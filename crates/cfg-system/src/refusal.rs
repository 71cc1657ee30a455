//! Why an existing file is not used.

use std::{
    error::Error,
    fmt, io,
    path::{Path, PathBuf},
};

use crate::role;

/// Why an existing file is not used. It contains neither its content nor, of a link that the user did not name, the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It resolves to a place outside the repository, and the user did not name it.
    Outside,
    /// It is outside the folders to which this process is limited, or would be written by a process that only reads.
    Confined,
    /// It is a pipe, a device, a socket, or a file that the kernel generates.
    NotRegular,
    /// It is larger than the limit.
    TooLarge {
        /// The limit, in bytes.
        limit: u64,
    },
    /// Its path is too long, or has too many folders.
    TooDeep,
    /// It is to be changed, but it is a link, or is below one, that the user did not name.
    ThroughLink,
    /// It is to be created or changed, but a link of a repository leads out of that repository on the way there, or is the named path itself.
    BehindLink {
        /// The first such link.
        link: PathBuf,
        /// Where the named path leads, without links: what the user can name instead.
        to: PathBuf,
    },
    /// It is to be changed, but it is in a folder of git.
    OfGit,
}

impl Refusal {
    /// The refusal in an error.
    pub fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().cloned()
    }

    /// What the user can do.
    pub const fn help(&self) -> &'static str {
        match self {
            Self::Outside => "files outside the repository are read only if named on the command line",
            Self::Confined => "`cfg mcp` reads only in the folders it was started with, and writes nothing",
            Self::NotRegular => "only regular files are read",
            Self::TooLarge { .. } => "a config is a few kilobytes: a file this large is something else",
            Self::TooDeep => "folders are searched to a depth of 128, and paths have at most 4096 bytes",
            Self::ThroughLink => "name the path on the command line to change the file it points to",
            Self::BehindLink { .. } => "the repository chose where the link leads: name the file itself to change it",
            Self::OfGit => "files in a git folder are changed only if named on the command line",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside => formatter.write_str("it points outside the repository"),
            Self::Confined => formatter.write_str("it is outside the folders that may be read"),
            Self::NotRegular => formatter.write_str("it is not a regular file"),
            Self::TooLarge { limit } => write!(formatter, "it is larger than {}", role::size(*limit)),
            Self::TooDeep => formatter.write_str("its path is too deep or too long"),
            Self::ThroughLink => formatter.write_str("it is a link, or inside a linked folder"),
            Self::BehindLink { link, to } => {
                let (link, to) = (in_words(link), in_words(to));
                write!(formatter, "the link `{link}` leads out of the repository; to write there, name `{to}` itself")
            }
            Self::OfGit => formatter.write_str("it belongs to git"),
        }
    }
}

/// A path on one line.
fn in_words(path: &Path) -> String {
    let shown =
        |character: char| if character.is_control() { character.escape_default().collect() } else { character.to_string() };
    path.to_string_lossy().chars().map(shown).collect()
}

impl Error for Refusal {}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> Self {
        let kind = match &refusal {
            Refusal::TooLarge { .. } => io::ErrorKind::FileTooLarge,
            Refusal::TooDeep => io::ErrorKind::InvalidFilename,
            _ => io::ErrorKind::Other,
        };
        Self::new(kind, refusal)
    }
}
