//! What git says of the commit that is about to be made, and of the hooks that it asks before.
//!
//! Other than in [`crate::git`], the repository is the one that the environment names: within a hook, git says there which one it works on.

use std::{
    fmt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use crate::{
    Staged,
    program::{NoAnswer, answer},
};

/// Longer than any of the questions takes.
const LIMIT: Duration = Duration::from_secs(60);

/// Why git did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitError {
    /// There is no `git`.
    Absent,
    /// It said why on standard error.
    Refused,
    /// It took too long.
    Late,
}

impl fmt::Display for GitError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Absent => "the program `git` is not there",
            Self::Refused => "git could not answer",
            Self::Late => "git did not answer in time",
        })
    }
}

impl std::error::Error for GitError {}

/// The files that a commit would change or remove, in the order of their paths: before the first commit all of the index.
///
/// # Errors
///
/// Where git is not there, knows no repository, or fails.
pub fn staged(folder: &Path) -> Result<Vec<Staged>, GitError> {
    let top = top(folder)?;
    let words = ["diff", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", "--ignore-submodules=none"];
    let told = ask(&top, &words)?;
    // `:<modes> <objects> <status>\0<path>\0`, each.
    let mut parts = told.split(|byte| *byte == 0);
    let mut staged = Vec::new();
    while let (Some(head), Some(name)) = (parts.next(), parts.next()) {
        staged.push(Staged { path: top.join(path(name)), is_gone: head.last() == Some(&b'D') });
    }
    Ok(staged)
}

/// Where git looks for hooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookFolder {
    /// The folder, which need not be there.
    pub path: PathBuf,
    /// Whether it serves other repositories as well: the user or the system has set `core.hooksPath` for all of them.
    pub is_of_all: bool,
}

/// Where git looks for the hooks of the repository whose work tree is around a folder.
///
/// # Errors
///
/// Where git is not there, knows no repository, or fails.
pub fn hook_folder(folder: &Path) -> Result<HookFolder, GitError> {
    let top = top(folder)?;
    let path = top.join(one_path(&ask(&top, &["rev-parse", "--git-path", "hooks"])?));
    // `<scope>\t<value>`; it fails where nothing is set.
    let set = ask_quietly(&top, &["config", "--show-scope", "--get", "core.hooksPath"]).unwrap_or_default();
    let is_of_all = [&b"global\t"[..], b"system\t"].iter().any(|scope| set.starts_with(scope));
    Ok(HookFolder { path, is_of_all })
}

/// The folder in which the work tree around a folder begins.
pub(crate) fn top(folder: &Path) -> Result<PathBuf, GitError> {
    ask(folder, &["rev-parse", "--show-toplevel"]).map(|answer| one_path(&answer))
}

/// The answer of git; what it complains of goes to standard error.
pub(crate) fn ask(folder: &Path, words: &[&str]) -> Result<Vec<u8>, GitError> {
    asked(command(folder).args(words).stderr(Stdio::inherit()))
}

/// The answer of git, which may well be that there is none.
pub(crate) fn ask_quietly(folder: &Path, words: &[&str]) -> Result<Vec<u8>, GitError> {
    asked(command(folder).args(words).stderr(Stdio::null()))
}

fn asked(command: &mut Command) -> Result<Vec<u8>, GitError> {
    let child = command.stdin(Stdio::null()).spawn().map_err(|_| GitError::Absent)?;
    answer(child, LIMIT, u64::MAX).map_err(|none| match none {
        NoAnswer::Absent => GitError::Absent,
        NoAnswer::Failed => GitError::Refused,
        NoAnswer::Late => GitError::Late,
    })
}

/// `git` in a folder, for the repository that the environment names.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.args(["--no-optional-locks", "--no-pager", "-c", "core.fsmonitor=false", "-C"]).arg(folder);
    command.stdout(Stdio::piped());
    command
}

/// An answer that is one path and a line end.
fn one_path(answer: &[u8]) -> PathBuf {
    path(answer.strip_suffix(b"\n").unwrap_or(answer))
}

/// A path as git writes it.
#[cfg(unix)]
pub(crate) fn path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// A path as git writes it: in UTF-8, whatever the system.
#[cfg(not(unix))]
pub(crate) fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
