//! Git's own files in a repository, as far as they are checked before git runs: whether it would wait for one, or read the files of another
//! repository.

use std::path::{Path, PathBuf};

use crate::{Kind, Role, System};

/// The largest file that git reads completely, in bytes: the index of half a million files.
const MAX_FILE: u64 = 64 << 20;

/// The files that git always opens. Each must be a regular file: git would wait for a pipe.
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

/// The places in which git looks for what several work trees share.
const SHARED: [&str; 3] = ["objects", "refs", "packed-refs"];

/// Why git is not run in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bar {
    /// One of its own files is something that it would wait for, or that it would read for a long time.
    Odd,
    /// The repository's own files belong to one that does not know this work tree: git would report what somebody else has.
    Foreign,
}

/// The folder of own files of the repository at `folder`.
pub fn own_folder(system: &dyn System, folder: &Path) -> Option<PathBuf> {
    let dot_git = folder.join(".git");
    if system.is_folder(&dot_git) {
        return Some(dot_git);
    }
    let pointer = system.text(&dot_git, Role::GitFile)?;
    Some(folder.join(pointer.trim_end_matches(['\n', '\r']).strip_prefix("gitdir: ")?))
}

/// The folder that a linked work tree shares with the main one, with branches and others; the work tree's own folder is below it. `None` if another
/// one is stated.
pub fn common_folder(system: &dyn System, own: &Path) -> Option<PathBuf> {
    let Some(stated) = system.text(&own.join("commondir"), Role::GitFile) else { return Some(own.to_owned()) };
    let common = own.join(stated.trim_end());
    let is_above = system.real(own).ok()?.starts_with(system.real(&common).ok()?);
    is_above.then_some(common)
}

/// Whether a folder of git's own files belongs to the work tree at `top`: it is inside, or states itself that it belongs to this work tree, as for
/// submodules and linked work trees. Anybody can write a `.git` that leads to the files of another repository.
pub fn belongs(system: &dyn System, top: &Path, own: &Path) -> bool {
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

/// Why git is not run in a folder; `None` if it is.
pub(super) fn bar(system: &dyn System, folder: &Path) -> Option<Bar> {
    let folder = system.absolute(folder);
    let top = crate::around(&folder).find(|above| system.is_repository(above))?;
    let is_odd = |path: PathBuf| {
        system.status(&path).is_ok_and(|status| status.kind == Kind::Other || status.kind == Kind::File && status.size > MAX_FILE)
    };
    if is_odd(top.join(".git")) || is_odd(top.join(".gitattributes")) {
        return Some(Bar::Odd);
    }
    let own = own_folder(system, top)?;
    let stated = common_folder(system, &own);
    let common = stated.as_ref().unwrap_or(&own);
    let head = system.text(&own.join("HEAD"), Role::GitFile).unwrap_or_default();
    let reference = head.trim_end().strip_prefix("ref: ").unwrap_or("HEAD");
    let is_odd_there = |name: &str| is_odd(own.join(name)) || *common != own && is_odd(common.join(name));
    let leads_out_of = |folder: &Path, name: &str| leads_out(system, folder, &folder.join(name));
    if OPENED.iter().copied().chain([reference]).any(is_odd_there)
        || ["HEAD", reference].into_iter().any(|name| leads_out_of(&own, name))
    {
        return Some(Bar::Odd);
    }
    let is_own = stated.is_some() && belongs(system, top, &own) && !SHARED.iter().any(|name| leads_out_of(common, name));
    (!is_own).then_some(Bar::Foreign)
}

/// Whether one of git's files is a link to a place where git would not have put it.
fn leads_out(system: &dyn System, own: &Path, file: &Path) -> bool {
    let is_link = system.own_status(file).is_ok_and(|status| status.kind == Kind::Link);
    is_link && system.real(file).is_ok_and(|file| !system.real(own).is_ok_and(|own| file.starts_with(own)))
}
