//! Asking `git`, as little as can be: most questions are answered by the files of the repository, without a process.

use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use crate::{Environment, files, program::answer};

/// Longer than any of the questions takes; a repository on a dead network drive must not hang a check.
const LIMIT: Duration = Duration::from_secs(2);

/// No answer that is asked for here is longer.
const MAX_ANSWER: u64 = 1 << 24;

/// A commit, and when it was made in UTC (`2026-01-06T18:22:00Z`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Commit {
    pub(crate) sha: String,
    pub(crate) date: String,
}

/// Whether a repository begins at `folder`: a submodule and a linked work tree have a file there.
pub fn is_root(folder: &Path) -> bool {
    folder.join(".git").symlink_metadata().is_ok()
}

/// The commit that is checked out in the repository that begins at `folder`.
pub(crate) fn head(folder: &Path) -> Option<String> {
    head_by_files(folder).or_else(|| newest(folder, &["HEAD"]).map(|commit| commit.sha))
}

/// The date of a commit of the repository at `folder`, if it is there.
pub(crate) fn date(folder: &Path, sha: &str) -> Option<String> {
    newest(folder, &[sha]).map(|commit| commit.date)
}

/// The newest commit that touched something in `folder`, anywhere within a repository.
pub(crate) fn newest_within(folder: &Path) -> Option<Commit> {
    newest(folder, &["HEAD", "--", "."])
}

/// The commit that the index of the repository at `folder` records for the submodule at `path`. Within a hook it is the index that is
/// about to be committed.
pub(crate) fn recorded_submodule(folder: &Path, path: &str, environment: &Environment) -> Option<String> {
    let answer = ask(folder, &["ls-files", "--stage", "-z", "--", path], hook_index(folder, environment).as_deref())?;
    let answer = String::from_utf8_lossy(&answer);
    // `160000 <sha> <stage>\t<path>\0`; while a conflict lasts there is no stage 0, and 2 is ours.
    let entries = answer.split('\0').filter_map(|entry| entry.split_once('\t')?.0.strip_prefix("160000 ")?.split_once(' '));
    let (sha, _) = entries.filter(|(_, stage)| matches!(*stage, "0" | "2")).min_by_key(|(_, stage)| *stage)?;
    Some(sha.to_owned())
}

fn newest(folder: &Path, of: &[&str]) -> Option<Commit> {
    let fixed = [
        "-c",
        "log.showSignature=false",
        "log",
        "-1",
        "-z",
        "--no-notes",
        "--date=format-local:%Y-%m-%dT%H:%M:%SZ",
        "--format=%H %cd",
    ];
    let answer = ask(folder, fixed.iter().chain(of), None)?;
    let (sha, date) = std::str::from_utf8(&answer).ok()?.trim_end_matches(['\0', '\n']).split_once(' ')?;
    Some(Commit { sha: sha.to_owned(), date: date.to_owned() })
}

/// The bytes of an object as `git` names it: `main:configs/rl.toml`, from the top of the work tree around `folder`, or `main:./rl.toml`, from
/// there. Nothing where there is no such object, or where it is longer than a config can be.
pub fn show(folder: &Path, object: &str) -> Option<Vec<u8>> {
    // What begins with a dash would be taken for an option.
    if object.starts_with('-') {
        return None;
    }
    let bytes = ask(folder, &["cat-file", "blob", object], None)?;
    ((bytes.len() as u64) < MAX_ANSWER).then_some(bytes)
}

/// The index that a hook of the repository at `folder` works on. `GIT_INDEX_FILE` counts only for the repository that it lies in: a
/// config may well lie in another one.
fn hook_index(folder: &Path, environment: &Environment) -> Option<PathBuf> {
    let index = environment.absolute(Path::new(environment.git_index_file.as_ref()?));
    let lies_in = fs::canonicalize(index.parent()?).ok()?;
    let own = fs::canonicalize(git_folder(folder)?).ok()?;
    (lies_in == own && index.is_file()).then_some(index)
}

/// Where the repository at `folder` keeps its own files.
fn git_folder(folder: &Path) -> Option<PathBuf> {
    let dot_git = folder.join(".git");
    if dot_git.is_dir() {
        return Some(dot_git);
    }
    let pointer = files::read_text(&dot_git)?;
    Some(folder.join(pointer.trim_end_matches(['\n', '\r']).strip_prefix("gitdir: ")?))
}

/// Follows `HEAD` through the files that hold references. Other stores of references than files are left to `git`.
fn head_by_files(folder: &Path) -> Option<String> {
    let own = git_folder(folder)?;
    let head = files::read_text(&own.join("HEAD"))?;
    let Some(name) = head.trim_end().strip_prefix("ref: ") else {
        return as_hash(&head);
    };
    // Branches belong to the main repository of a linked work tree.
    let common = files::read_text(&own.join("commondir")).map_or_else(|| own.clone(), |common| own.join(common.trim_end()));
    if let Some(loose) = files::read_text(&common.join(name)) {
        return as_hash(&loose);
    }
    let packed = files::read_text(&common.join("packed-refs"))?;
    let mut lines = packed.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(_, reference)| *reference == name).and_then(|(sha, _)| as_hash(sha))
}

fn as_hash(text: &str) -> Option<String> {
    let text = text.trim();
    (text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| text.to_owned())
}

/// The answer of `git` in `folder`; nothing where there is no `git`, no repository, no success, or no answer in time.
fn ask<'a>(folder: &Path, arguments: impl IntoIterator<Item = &'a &'a str>, index: Option<&Path>) -> Option<Vec<u8>> {
    let mut command = command(folder);
    command.args(arguments).stdin(Stdio::null());
    if let Some(index) = index {
        command.env("GIT_INDEX_FILE", index);
    }
    answer(command.spawn().ok()?, LIMIT, MAX_ANSWER).ok()
}

/// `git` in `folder`, whatever the environment says of repositories. What it says on standard error is dropped.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.args(["--no-optional-locks", "--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-C"]).arg(folder);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    for (name, _) in env::vars_os().filter(|(name, _)| says_which_repository(name)) {
        command.env_remove(name);
    }
    // Dates in UTC, and no download of what a partial clone lacks.
    command.env("TZ", "UTC0").env("GIT_NO_LAZY_FETCH", "1").env("GIT_TERMINAL_PROMPT", "0");
    command
}

/// Variables by which a hook or a script points `git` at a repository. Those that say how `git` is installed and configured stay:
/// `safe.directory` may stand there.
fn says_which_repository(name: &OsStr) -> bool {
    let kept = ["GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES"];
    name.to_str().is_some_and(|name| name.starts_with("GIT_") && !kept.contains(&name))
}
