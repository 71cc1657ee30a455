//! What git reports about the next commit, and about hooks.
//!
//! Unlike in [`crate::git`], the repository is the one in the environment variables, which git sets for a hook.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fmt,
    path::{Path, PathBuf},
    time::Duration,
};

use cfg_system::{
    NoAnswer, Program, Role, System,
    git::{self, Repository, Unanswered, belongs, repository_from_env},
};

use crate::Staged;

/// The time limit for a query, longer than any takes.
const LIMIT: Duration = Duration::from_secs(20);

/// The maximum size of an answer in bytes: the index of half a million files is smaller.
const MAX_ANSWER: u64 = 64 << 20;

/// What git says where no file is checked out.
const NO_WORK_TREE: [&str; 2] = ["cannot use bare repository", "this operation must be run in a work tree"];

/// Why git did not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GitError {
    /// `git` is not installed.
    Absent,
    /// It failed, with its message if it has one.
    Refused(String),
    /// It took too long.
    Late,
    /// The repository has no work tree.
    Bare,
    /// It would have waited for something other than its own files.
    Odd,
    /// The `.git` file points to a repository that does not list this work tree, git's files lead to another one, or the settings of the repository name
    /// another work tree.
    Foreign,
    /// The repository takes objects from another one, outside of it.
    Borrows,
    /// It has no such commit.
    NoCommit {
        /// Whether it lacks the parents of its oldest commits.
        is_shallow: bool,
    },
}

impl fmt::Display for GitError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => formatter.write_str("`git` is not installed"),
            Self::Bare => formatter.write_str("this is a bare repository, in which no file is checked out"),
            Self::Refused(why) if why.is_empty() => formatter.write_str("git failed"),
            Self::Refused(why) => write!(formatter, "git failed ({why})"),
            Self::Foreign => {
                formatter.write_str("git's own files here lead to another repository, which does not list this work tree")
            }
            Self::Borrows => formatter.write_str(
                "this clone borrows objects of another repository (`git clone --shared` or `--reference`), which is not read (`git repack -a -d`, and \
                 then the removal of `objects/info/alternates` in `.git`, makes it whole)",
            ),
            Self::NoCommit { is_shallow: false } => formatter.write_str("no such commit here"),
            Self::NoCommit { is_shallow: true } => {
                formatter.write_str("no such commit here, but the clone is shallow: `git fetch --unshallow` gets the earlier ones")
            }
            Self::Odd => {
                formatter.write_str("git is not asked here: one of its own files is not a regular file, or is too large")
            }
            Self::Late => formatter.write_str("git timed out"),
        }
    }
}

impl std::error::Error for GitError {}

/// The files that a commit would change or remove, in the order of their paths; before the first commit, the whole index.
///
/// # Errors
///
/// If git is not installed, finds no repository, or fails.
pub fn staged(system: &dyn System, folder: &Path) -> Result<Vec<Staged>, GitError> {
    let top = top(system, folder)?;
    let words = ["diff", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", "--ignore-submodules=none"];
    let told = ask(system, &top, &words)?;
    // Each entry is `:<modes> <objects> <status>\0<path>\0`.
    let mut parts = told.split(|byte| *byte == 0);
    let mut staged = Vec::new();
    while let (Some(head), Some(name)) = (parts.next(), parts.next()) {
        staged.push(Staged { path: top.join(git::path(name)), is_gone: head.last() == Some(&b'D') });
    }
    Ok(staged)
}

/// A file with the sides of a merge that is not resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmerged {
    /// Its path from the root of the file system.
    pub path: PathBuf,
    /// The hashes of its texts in the common ancestor, on our side and on the other side, as far as it is there.
    pub objects: [Option<String>; 3],
}

/// The files of the work tree around a folder that are not merged, in the order of their paths.
///
/// # Errors
///
/// If git is not installed, finds no repository, or fails.
pub fn unmerged(system: &dyn System, folder: &Path) -> Result<Vec<Unmerged>, GitError> {
    let top = top(system, folder)?;
    let told = ask(system, &top, &["ls-files", "--unmerged", "-z"])?;
    let mut files: Vec<Unmerged> = Vec::new();
    // Each entry is `<mode> <hash> <stage>\t<path>\0`, with the entries of a path together.
    for entry in told.split(|byte| *byte == 0) {
        let Some(tab) = entry.iter().position(|byte| *byte == b'\t') else { continue };
        let head = String::from_utf8_lossy(&entry[..tab]).into_owned();
        let mut words = head.split(' ').skip(1);
        let (Some(object), Some(stage)) = (words.next(), words.next().and_then(|stage| stage.parse::<usize>().ok())) else {
            continue;
        };
        let path = top.join(git::path(&entry[tab + 1..]));
        if files.last().is_none_or(|last| last.path != path) {
            files.push(Unmerged { path, objects: [None, None, None] });
        }
        let place = files.last_mut().and_then(|file| file.objects.get_mut(stage.wrapping_sub(1)));
        if let Some(place) = place {
            *place = Some(object.to_owned());
        }
    }
    Ok(files)
}

/// The files of the index that a sparse checkout leaves out of the work tree around a folder.
pub fn outside_of_sparse_checkout(system: &dyn System, folder: &Path) -> BTreeSet<PathBuf> {
    let own = own_folder_around(system, folder);
    if !own.is_some_and(|own| system.is_there(&own.join("info/sparse-checkout"))) {
        return BTreeSet::new();
    }
    let Ok(top) = top(system, folder) else { return BTreeSet::new() };
    // Each entry is `<letter> <path>`.
    let told = ask(system, &top, &["ls-files", "-t", "-z"]).unwrap_or_default();
    let left_out = told.split(|byte| *byte == 0).filter_map(|entry| entry.strip_prefix(b"S "));
    left_out.map(|path| top.join(git::path(path))).collect()
}

/// The maximum number of commits in which renames are looked for.
const MAX_COMMITS: &str = "--max-count=1000";

/// The renames that git sees: in the next commit, and in the last thousand before it, the newest first. Each is the old and the new path.
///
/// # Errors
///
/// If git is not installed, finds no repository, or fails.
pub fn renames(system: &dyn System, folder: &Path) -> Result<Vec<(PathBuf, PathBuf)>, GitError> {
    let top = top(system, folder)?;
    let found = ["--raw", "-z", "--no-abbrev", "--find-renames", "--diff-filter=R", "--no-ext-diff", "--ignore-submodules=all"];
    let staged = [&["diff", "--cached"][..], &found].concat();
    let committed = [&["log", "--no-notes", "--format=", MAX_COMMITS][..], &found].concat();
    let mut told = ask(system, &top, &staged)?;
    // Before the first commit, there is no log.
    told.extend(ask(system, &top, &committed).unwrap_or_default());
    // Each entry is `:<modes> <objects> R<percent>\0<old>\0<new>\0`.
    let mut parts = told.split(|byte| *byte == 0).filter(|part| !part.is_empty());
    let mut renames = Vec::new();
    while let (Some(_), Some(old), Some(new)) = (parts.next(), parts.next(), parts.next()) {
        renames.push((top.join(git::path(old)), top.join(git::path(new))));
    }
    Ok(renames)
}

/// The root folder of the work tree that contains a folder.
///
/// # Errors
///
/// If git is not installed, finds no repository, or fails.
pub fn work_tree(system: &dyn System, folder: &Path) -> Result<PathBuf, GitError> {
    top(system, folder)
}

/// A setting in the configuration of a repository itself.
pub fn git_setting(system: &dyn System, top: &Path, name: &str) -> Option<String> {
    let told = ask(system, top, &["config", "--local", "--get", name]).ok()?;
    Some(String::from_utf8_lossy(told.strip_suffix(b"\n").unwrap_or(&told)).into_owned())
}

/// Sets a setting in the configuration of a repository itself.
///
/// # Errors
///
/// If git is not installed, or can't write it.
pub fn set_git_setting(system: &dyn System, top: &Path, name: &str, value: &str) -> Result<(), GitError> {
    ask(system, top, &["config", "--local", name, value]).map(drop)
}

/// Removes a section of the configuration of a repository itself.
///
/// # Errors
///
/// If git is not installed, or can't write it.
pub fn remove_git_settings(system: &dyn System, top: &Path, section: &str) -> Result<(), GitError> {
    ask(system, top, &["config", "--local", "--remove-section", section]).map(drop)
}

/// The folder in which git looks for hooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookFolder {
    /// The folder, which need not exist.
    pub path: PathBuf,
    /// Whether it is used for other repositories as well, because `core.hooksPath` is set for the user or the system.
    pub is_of_all: bool,
    /// Whether it is inside the repository: in its work tree, or in its `.git` folder.
    pub is_inside: bool,
}

/// The hooks folder of the repository whose work tree contains a folder.
///
/// # Errors
///
/// If git is not installed, finds no repository, or fails.
pub fn hook_folder(system: &dyn System, folder: &Path) -> Result<HookFolder, GitError> {
    let top = top(system, folder)?;
    let asked = |words: &[&str]| {
        let program = git::ask_of_hooks(system.host(), &top, Repository::OfEnvironment, words);
        answer(system, &top, program)
    };
    let path = top.join(one_path(&asked(&["rev-parse", "--git-path", "hooks"])?));
    // The output is `<scope>\t<value>`; the command fails if nothing is set.
    let set = asked(&["config", "--show-scope", "--get", "core.hooksPath"]).unwrap_or_default();
    let is_of_all = [&b"global\t"[..], b"system\t"].iter().any(|scope| set.starts_with(scope));
    let common = top.join(one_path(&asked(&["rev-parse", "--git-common-dir"])?));
    let real = |path: &Path| cfg_system::around(path).find_map(|above| system.real(above).ok());
    let own_folder = top.join(one_path(&asked(&["rev-parse", "--git-dir"])?));
    let own = [real(&common).filter(|_| belongs(system, &top, &own_folder)), real(&top)];
    let is_inside = real(&path).is_some_and(|path| own.into_iter().flatten().any(|own| path.starts_with(own)));
    Ok(HookFolder { path, is_of_all, is_inside })
}

/// The root folder of the work tree that contains a folder.
pub(crate) fn top(system: &dyn System, folder: &Path) -> Result<PathBuf, GitError> {
    let top = ask(system, folder, &["rev-parse", "--show-toplevel"]).map(|answer| one_path(&answer))?;
    let folder = system.absolute(folder);
    let stated = cfg_system::around(&folder).find(|above| system.is_repository(above));
    let is_it = |stated: &Path| system.real(stated).ok() == system.real(&top).ok();
    if repository_from_env(system.host()) || stated.is_none_or(is_it) { Ok(top) } else { Err(GitError::Foreign) }
}

/// The output of a git command.
pub(crate) fn ask(system: &dyn System, folder: &Path, words: &[impl AsRef<OsStr>]) -> Result<Vec<u8>, GitError> {
    answer(system, folder, question(system, folder, words))
}

/// A git command in the repository of the environment variables.
pub(crate) fn question(system: &dyn System, folder: &Path, words: &[impl AsRef<OsStr>]) -> Program {
    git::ask(system.host(), folder, Repository::OfEnvironment, words)
}

fn answer(system: &dyn System, folder: &Path, program: Program) -> Result<Vec<u8>, GitError> {
    let program = program.limited(LIMIT, MAX_ANSWER);
    git::answer(system, folder, Repository::OfEnvironment, &program).map_err(|none| match none {
        Unanswered::Foreign if borrows(system, folder) => GitError::Borrows,
        Unanswered::Foreign => GitError::Foreign,
        Unanswered::Odd => GitError::Odd,
        Unanswered::None(NoAnswer::Absent) => GitError::Absent,
        Unanswered::None(NoAnswer::Failed(why)) if NO_WORK_TREE.iter().any(|said| why.contains(said)) => GitError::Bare,
        Unanswered::None(NoAnswer::Failed(why)) => GitError::Refused(why),
        Unanswered::None(none @ NoAnswer::TooLong(_)) => GitError::Refused(none.to_string()),
        Unanswered::None(NoAnswer::Late) => GitError::Late,
    })
}

/// The folder of git's own files for the work tree around a folder.
fn own_folder_around(system: &dyn System, folder: &Path) -> Option<PathBuf> {
    let folder = system.absolute(folder);
    git::own_folder(system, cfg_system::around(&folder).find(|above| system.is_repository(above))?)
}

/// Whether the repository around a folder takes objects from another one.
fn borrows(system: &dyn System, folder: &Path) -> bool {
    let common = own_folder_around(system, folder).and_then(|own| git::common_folder(system, &own));
    let stated = common.and_then(|common| system.text(&common.join("objects/info/alternates"), Role::GitFile));
    stated.is_some_and(|stated| !stated.trim().is_empty())
}

/// Parses output that consists of one path and a line break.
fn one_path(answer: &[u8]) -> PathBuf {
    git::path(answer.strip_suffix(b"\n").unwrap_or(answer))
}
