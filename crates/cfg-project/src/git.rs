//! Asking `git`, as little as can be: most questions are answered by the files of the repository, without a process.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use cfg_system::{
    Kind, Role, System,
    git::{Repository, ask},
};

/// Longer than any of the questions takes, however busy the machine is: an answer that came too late would make a check of another prime-rl.
/// A repository on a dead network drive must not hang a check for ever.
const LIMIT: Duration = Duration::from_secs(20);

/// No answer that is asked for here is longer.
const MAX_ANSWER: u64 = 1 << 24;

/// A commit, and when it was made in UTC (`2026-01-06T18:22:00Z`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Commit {
    pub(crate) sha: String,
    pub(crate) date: String,
}

/// The commit that is checked out in the repository that begins at `folder`.
pub(crate) fn head(system: &dyn System, folder: &Path) -> Option<String> {
    head_by_files(system, folder).or_else(|| newest(system, folder, &["HEAD"]).map(|commit| commit.sha))
}

/// The date of a commit of the repository at `folder`, if it is there.
pub(crate) fn date(system: &dyn System, folder: &Path, sha: &str) -> Option<String> {
    newest(system, folder, &[sha]).map(|commit| commit.date)
}

/// The newest commit that touched something in `folder`, anywhere within a repository.
pub(crate) fn newest_within(system: &dyn System, folder: &Path) -> Option<Commit> {
    newest(system, folder, &["HEAD", "--", "."])
}

/// The commit that the index of the repository at `folder` records for the submodule at `path`. Within a hook it is the index that is
/// about to be committed.
pub(crate) fn recorded_submodule(system: &dyn System, folder: &Path, path: &str) -> Option<String> {
    let answer = answer(system, folder, ["ls-files", "--stage", "-z", "--", path], hook_index(system, folder).as_deref())?;
    let answer = String::from_utf8_lossy(&answer);
    // `160000 <sha> <stage>\t<path>\0`; while a conflict lasts there is no stage 0, and 2 is ours.
    let entries = answer.split('\0').filter_map(|entry| entry.split_once('\t')?.0.strip_prefix("160000 ")?.split_once(' '));
    let (sha, _) = entries.filter(|(_, stage)| matches!(*stage, "0" | "2")).min_by_key(|(_, stage)| *stage)?;
    Some(sha.to_owned())
}

fn newest(system: &dyn System, folder: &Path, of: &[&str]) -> Option<Commit> {
    let fixed = ["log", "-1", "-z", "--no-notes", "--date=format-local:%Y-%m-%dT%H:%M:%SZ", "--format=%H %cd"];
    // What begins with a dash would be taken for an option.
    if of.first().is_some_and(|revision| revision.starts_with('-')) {
        return None;
    }
    let answer = answer(system, folder, fixed.iter().chain(of), None)?;
    let (sha, date) = std::str::from_utf8(&answer).ok()?.trim_end_matches(['\0', '\n']).split_once(' ')?;
    Some(Commit { sha: sha.to_owned(), date: date.to_owned() })
}

/// The bytes of an object as `git` names it: `main:configs/rl.toml`, from the top of the work tree around `folder`, or `main:./rl.toml`, from
/// there. Nothing where there is no such object, or where it is longer than a config can be.
pub fn show(system: &dyn System, folder: &Path, object: &str) -> Option<Vec<u8>> {
    // What begins with a dash would be taken for an option.
    if object.starts_with('-') {
        return None;
    }
    let bytes = answer(system, folder, ["cat-file", "blob", object], None)?;
    ((bytes.len() as u64) < MAX_ANSWER).then_some(bytes)
}

/// The index that a hook of the repository at `folder` works on. `GIT_INDEX_FILE` counts only for the repository that it lies in: a
/// config may well lie in another one.
fn hook_index(system: &dyn System, folder: &Path) -> Option<PathBuf> {
    let index = system.absolute(Path::new(&system.host().variable("GIT_INDEX_FILE")?));
    let lies_in = system.real(index.parent()?).ok()?;
    let own = system.real(&git_folder(system, folder)?).ok()?;
    (lies_in == own && system.is_file(&index)).then_some(index)
}

/// Where the repository at `folder` keeps its own files.
fn git_folder(system: &dyn System, folder: &Path) -> Option<PathBuf> {
    let dot_git = folder.join(".git");
    if system.is_folder(&dot_git) {
        return Some(dot_git);
    }
    let pointer = system.text(&dot_git, Role::GitFile)?;
    Some(folder.join(pointer.trim_end_matches(['\n', '\r']).strip_prefix("gitdir: ")?))
}

/// Whether a folder of git's own files belongs to the work tree at `top`: it lies there, or says itself that it is that of this work tree, as those
/// of submodules and of further work trees do. Anybody can write a `.git` that leads to the files of another repository.
pub(crate) fn belongs(system: &dyn System, top: &Path, own: &Path) -> bool {
    let real = |path: &Path| system.real(path).ok();
    let (Some(real_top), Some(real_own)) = (real(top), real(own)) else { return false };
    let back = |path: &str| real(&own.join(path));
    let by_file = || {
        let back_to = system.text(&own.join("gitdir"), Role::GitFile).and_then(|path| back(path.trim_end()));
        back_to == Some(real_top.join(".git"))
    };
    let by_setting = || {
        let config = system.text(&own.join("config"), Role::GitFile).unwrap_or_default();
        let value = |line: &str| Some(line.trim().strip_prefix("worktree")?.trim_start().strip_prefix('=')?.trim().to_owned());
        config.lines().find_map(value).and_then(|path| back(&path)).as_ref() == Some(&real_top)
    };
    real_own.starts_with(&real_top) || by_file() || by_setting()
}

/// Follows `HEAD` through the files that hold references. Other stores of references than files are left to `git`.
fn head_by_files(system: &dyn System, folder: &Path) -> Option<String> {
    let text = |path: PathBuf| system.text(&path, Role::GitFile);
    let own = git_folder(system, folder)?;
    let head = text(own.join("HEAD"))?;
    let Some(name) = head.trim_end().strip_prefix("ref: ") else {
        return as_hash(&head);
    };
    if !is_reference(name) {
        return None;
    }
    let common = common_folder(system, &own);
    if let Some(loose) = text(common.join(name)) {
        return as_hash(&loose);
    }
    let packed = text(common.join("packed-refs"))?;
    let mut lines = packed.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(_, reference)| *reference == name).and_then(|(sha, _)| as_hash(sha))
}

/// The folder of what a linked work tree shares with the main one, such as branches; the work tree's own folder lies below it.
fn common_folder(system: &dyn System, own: &Path) -> PathBuf {
    let stated = system.text(&own.join("commondir"), Role::GitFile).map(|common| own.join(common.trim_end()));
    let is_above = |common: &PathBuf| {
        let (common, own) = (system.real(common), system.real(own));
        common.is_ok_and(|common| own.is_ok_and(|own| own.starts_with(common)))
    };
    stated.filter(is_above).unwrap_or_else(|| own.to_owned())
}

/// Whether a name is that of a reference, in the folder of references.
fn is_reference(name: &str) -> bool {
    name.starts_with("refs/") && !name.split('/').any(|part| part == "..")
}

fn as_hash(text: &str) -> Option<String> {
    let text = text.trim();
    (text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| text.to_owned())
}

/// The largest file that git reads as a whole, in bytes: the index of half a million files.
const MAX_FILE: u64 = 64 << 20;

/// What git opens by itself whatever it is asked. Each must be a regular file: git would wait for a pipe.
const OPENED: [&str; 10] = [
    "HEAD",
    "config",
    "config.worktree",
    "commondir",
    "index",
    "packed-refs",
    "shallow",
    "info/attributes",
    "info/grafts",
    "objects/info/alternates",
];

/// Whether the repository around a folder has its own files in one that does not know this work tree: git would tell what somebody else has.
pub(crate) fn is_foreign(system: &dyn System, folder: &Path) -> bool {
    let folder = system.absolute(folder);
    let Some(top) = folder.ancestors().find(|above| system.is_repository(above)) else { return false };
    let Some(own) = git_folder(system, top) else { return false };
    let common = common_folder(system, &own);
    let states_another = system.text(&own.join("commondir"), Role::GitFile).is_some() && common == own;
    let shared = ["objects", "refs", "packed-refs"];
    !belongs(system, top, &own) || states_another || shared.iter().any(|name| leads_out(system, &common, &common.join(name)))
}

/// Whether git can be asked in a folder: nothing stands where its own files are that it would wait for, or that it would read for long.
pub(crate) fn can_be_asked(system: &dyn System, folder: &Path) -> bool {
    let folder = system.absolute(folder);
    let Some(top) = folder.ancestors().find(|above| system.is_repository(above)) else { return true };
    let is_odd = |path: PathBuf| {
        system.status(&path).is_ok_and(|status| status.kind == Kind::Other || status.kind == Kind::File && status.size > MAX_FILE)
    };
    !is_odd(top.join(".git"))
        && !is_odd(top.join(".gitattributes"))
        && git_folder(system, top).is_none_or(|own| {
            let reference = system.text(&own.join("HEAD"), Role::GitFile).unwrap_or_default();
            let reference = reference.trim_end().strip_prefix("ref: ").unwrap_or("HEAD");
            let leads_out = |name: &str| leads_out(system, &own, &own.join(name));
            let common = common_folder(system, &own);
            let is_odd_there = |name: &str| is_odd(own.join(name)) || common != own && is_odd(common.join(name));
            !OPENED.iter().copied().chain([reference]).any(is_odd_there) && !["HEAD", reference].into_iter().any(leads_out)
        })
}

/// Whether a file of git's is a link to a place where git would not have put it.
fn leads_out(system: &dyn System, own: &Path, file: &Path) -> bool {
    let is_link = system.own_status(file).is_ok_and(|status| status.kind == Kind::Link);
    is_link && system.real(file).is_ok_and(|file| !system.real(own).is_ok_and(|own| file.starts_with(own)))
}

/// The answer of `git` in `folder`; nothing where there is no `git`, no repository, no success, or no answer in time.
fn answer(
    system: &dyn System,
    folder: &Path,
    words: impl IntoIterator<Item = impl AsRef<std::ffi::OsStr>>,
    index: Option<&Path>,
) -> Option<Vec<u8>> {
    if !can_be_asked(system, folder) || is_foreign(system, folder) {
        return None;
    }
    let mut program = ask(system.host(), folder, Repository::AroundFolder, words).limited(LIMIT, MAX_ANSWER);
    if let Some(index) = index {
        program = program.variable("GIT_INDEX_FILE", index);
    }
    system.host().run(&program).ok()
}
