//! Queries of `git`, as few as possible: most facts are read from the files of the repository, without a process.

mod last_changes;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use cfg_system::{
    Role, System,
    git::{self, Repository, ask, common_folder, own_folder},
};

pub(crate) use last_changes::LastChanges;

/// Longer than any of the questions takes on a busy machine: without the answer, another prime-rl would be checked. A repository on an unreachable
/// network drive must not block a check forever.
const LIMIT: Duration = Duration::from_secs(20);

/// The maximum size of an answer in bytes.
const MAX_ANSWER: u64 = 1 << 24;

/// A commit, and its time in UTC (`2026-01-06T18:22:00Z`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Commit {
    pub(crate) sha: String,
    pub(crate) date: String,
}

/// The commit that is checked out in the repository whose root is `folder`.
pub(crate) fn head(system: &dyn System, folder: &Path) -> Option<String> {
    if let Some((_, revision)) = system.revision().filter(|(top, _)| *top == folder) {
        return Some(revision.to_owned());
    }
    head_by_files(system, folder).or_else(|| newest(system, folder, &["HEAD"]).map(|commit| commit.sha))
}

/// A commit of the repository at `folder` and its ancestors, the newest first; at most `most`. `None` if the commit is missing.
pub(crate) fn ancestors(system: &dyn System, folder: &Path, sha: &str, most: usize) -> Option<Vec<Commit>> {
    let most = format!("--max-count={most}");
    let fixed = ["log", &most, "--no-notes", "--date=format-local:%Y-%m-%dT%H:%M:%SZ", "--format=%H %cd"];
    let words = fixed.into_iter().chain([Some(sha).filter(|sha| !sha.starts_with('-'))?, "--"]);
    let answer = String::from_utf8(answer(system, folder, words, None)?).ok()?;
    let commit = |line: &str| line.split_once(' ').map(|(sha, date)| Commit { sha: sha.to_owned(), date: date.to_owned() });
    answer.lines().map(commit).collect()
}

/// Whether the repository at `folder` lacks the parents of its oldest commits.
pub(crate) fn is_shallow(system: &dyn System, folder: &Path) -> bool {
    let system = of_disk(system);
    let common = own_folder(system, folder).map(|own| common_folder(system, &own).unwrap_or(own));
    common.is_none_or(|common| system.is_there(&common.join("shallow")))
}

/// The newest commit that changed anything in `folder`, which may be inside a repository.
pub(crate) fn newest_within(system: &dyn System, folder: &Path) -> Option<Commit> {
    newest(system, folder, &[revision_of(system, folder), "--", "."])
}

/// The commit that the index of the repository at `folder` records for the submodule at `path`. In a hook, this is the index of the new commit.
pub(crate) fn recorded_submodule(system: &dyn System, folder: &Path, path: &str) -> Option<String> {
    recorded_submodules(system, folder, &[path.to_owned()]).pop().map(|(_, sha)| sha)
}

/// As [`recorded_submodule`], for several paths; each commit with its path.
pub(crate) fn recorded_submodules(system: &dyn System, folder: &Path, paths: &[String]) -> Vec<(String, String)> {
    if let Some((_, revision)) = system.revision().filter(|(top, _)| *top == folder) {
        let of_path = |path: &String| Some((path.clone(), submodule_of(system, folder, revision, path)?));
        return paths.iter().filter_map(of_path).collect();
    }
    let words = ["ls-files", "--stage", "-z", "--"].into_iter().chain(paths.iter().map(String::as_str));
    let answer = answer(system, folder, words, hook_index(system, folder).as_deref()).unwrap_or_default();
    let answer = String::from_utf8_lossy(&answer);
    // The format is `160000 <sha> <stage>\t<path>\0`. During a conflict there is no stage 0, and stage 2 is our side.
    let entries = answer.split('\0').filter_map(|entry| {
        let (head, path) = entry.split_once('\t')?;
        let (sha, stage) = head.strip_prefix("160000 ")?.split_once(' ')?;
        matches!(stage, "0" | "2").then(|| (path.to_owned(), sha.to_owned()))
    });
    entries.collect()
}

/// The commits up to `HEAD` that change the file or submodule with this name in `folder`, the newest first; at most `most`.
pub(crate) fn commits_of(system: &dyn System, folder: &Path, name: &str, most: usize) -> Option<Vec<Commit>> {
    let most = format!("--max-count={most}");
    let fixed = ["log", &most, "--no-notes", "--date=format-local:%Y-%m-%dT%H:%M:%SZ", "--format=%H %cd", "HEAD", "--", name];
    let answer = String::from_utf8(answer(system, folder, fixed, None)?).ok()?;
    let commit = |line: &str| line.split_once(' ').map(|(sha, date)| Commit { sha: sha.to_owned(), date: date.to_owned() });
    answer.lines().map(commit).collect()
}

/// The commit that `HEAD` of the repository at `folder` has for the submodule at `path`.
pub(crate) fn committed_submodule(system: &dyn System, folder: &Path, path: &str) -> Option<String> {
    submodule_of(system, folder, revision_of(system, folder), path)
}

/// The commit of a repository whose files the system has: that of a revision, or the one that is checked out.
fn revision_of<'s>(system: &'s dyn System, folder: &Path) -> &'s str {
    system.revision().filter(|(top, _)| folder.starts_with(top)).map_or("HEAD", |(_, revision)| revision)
}

/// The commit that a revision of the repository at `folder` has for the submodule at `path`.
pub(crate) fn submodule_of(system: &dyn System, folder: &Path, revision: &str, path: &str) -> Option<String> {
    let answer = answer(system, folder, ["ls-tree", "-z", revision, "--", path], None)?;
    // `160000 commit <sha>\t<path>\0`
    let answer = String::from_utf8(answer).ok()?;
    answer.strip_prefix("160000 commit ")?.split_once('\t').map(|(commit, _)| commit.to_owned())
}

fn newest(system: &dyn System, folder: &Path, of: &[&str]) -> Option<Commit> {
    let fixed = ["log", "-1", "-z", "--no-notes", "--date=format-local:%Y-%m-%dT%H:%M:%SZ", "--format=%H %cd"];
    // A revision with a leading dash would be read as an option.
    if of.first().is_some_and(|revision| revision.starts_with('-')) {
        return None;
    }
    let answer = answer(system, folder, fixed.iter().chain(of), None)?;
    let (sha, date) = std::str::from_utf8(&answer).ok()?.trim_end_matches(['\0', '\n']).split_once(' ')?;
    Some(Commit { sha: sha.to_owned(), date: date.to_owned() })
}

/// The bytes of an object by git's name: `main:configs/rl.toml`, relative to the top of the work tree around `folder`, or `main:./rl.toml`, relative
/// to `folder`. `None` if there is no such object, or if it is larger than a config can be.
pub fn show(system: &dyn System, folder: &Path, object: &str) -> Option<Vec<u8>> {
    // A name with a leading dash would be read as an option.
    if object.starts_with('-') {
        return None;
    }
    let bytes = answer(system, folder, ["cat-file", "blob", object], None)?;
    ((bytes.len() as u64) < MAX_ANSWER).then_some(bytes)
}

/// The commits of any branch that added a file, the newest first; at most a few. `below` is its path from `folder`.
pub fn commits_that_added(system: &dyn System, folder: &Path, below: &str) -> Vec<String> {
    let fixed = [
        "log",
        "--all",
        "--full-history",
        "--no-renames",
        "--diff-filter=A",
        "--max-count=16",
        "--no-notes",
        "--format=%H",
        "--",
    ];
    let answer = answer(system, folder, fixed.into_iter().chain([below]), None).unwrap_or_default();
    String::from_utf8_lossy(&answer).lines().map(str::to_owned).collect()
}

/// The index that git passes to a hook of the repository at `folder`. `GIT_INDEX_FILE` applies only to the repository that contains it: a config may
/// be in another one.
fn hook_index(system: &dyn System, folder: &Path) -> Option<PathBuf> {
    let system = of_disk(system);
    let index = system.absolute(Path::new(&system.host().variable("GIT_INDEX_FILE")?));
    let lies_in = system.real(index.parent()?).ok()?;
    let own = system.real(&own_folder(system, folder)?).ok()?;
    (lies_in == own && system.is_file(&index)).then_some(index)
}

/// The commit of `HEAD`, read from the files that contain references. Other storage formats for references are left to `git`.
fn head_by_files(system: &dyn System, folder: &Path) -> Option<String> {
    let system = of_disk(system);
    let text = |path: PathBuf| system.text(&path, Role::GitFile);
    let own = own_folder(system, folder)?;
    let head = text(own.join("HEAD"))?;
    let Some(name) = head.trim_end().strip_prefix("ref: ") else {
        return as_hash(&head);
    };
    if !is_reference(name) {
        return None;
    }
    let common = common_folder(system, &own).unwrap_or(own);
    if let Some(loose) = text(common.join(name)) {
        return as_hash(&loose);
    }
    let packed = text(common.join("packed-refs"))?;
    let mut lines = packed.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(_, reference)| *reference == name).and_then(|(sha, _)| as_hash(sha))
}

/// Whether a name is that of a reference, which is a file in the folder of references.
fn is_reference(name: &str) -> bool {
    name.starts_with("refs/") && !name.split('/').any(|part| part == "..")
}

fn as_hash(text: &str) -> Option<String> {
    let text = text.trim();
    (text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| text.to_owned())
}

/// The system with git's own files, which no commit contains.
fn of_disk(system: &dyn System) -> &dyn System {
    system.with_untracked().unwrap_or(system)
}

/// The output of `git` in `folder`; `None` if there is no `git` or no repository, or if it fails or takes too long.
fn answer(
    system: &dyn System,
    folder: &Path,
    words: impl IntoIterator<Item = impl AsRef<std::ffi::OsStr>>,
    index: Option<&Path>,
) -> Option<Vec<u8>> {
    let system = of_disk(system);
    let mut program = ask(system.host(), folder, Repository::AroundFolder, words).limited(LIMIT, MAX_ANSWER);
    if let Some(index) = index {
        program = program.variable("GIT_INDEX_FILE", index);
    }
    git::answer(system, folder, Repository::AroundFolder, &program).ok()
}
