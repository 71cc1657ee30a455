//! The files that git keeps of a repository, as far as they are looked at before git is: whether it would wait for one, or read the files of
//! another repository.

use std::path::{Path, PathBuf};

use crate::{Kind, Role, System};

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

/// Where git looks for what several work trees share.
const SHARED: [&str; 3] = ["objects", "refs", "packed-refs"];

/// Why git is not asked in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bar {
    /// Something is where its own files are that it would wait for, or that it would read for long.
    Odd,
    /// The repository has its own files in one that does not know this work tree: git would tell what somebody else has.
    Foreign,
}

/// Where the repository at `folder` keeps its own files.
pub fn own_folder(system: &dyn System, folder: &Path) -> Option<PathBuf> {
    let dot_git = folder.join(".git");
    if system.is_folder(&dot_git) {
        return Some(dot_git);
    }
    let pointer = system.text(&dot_git, Role::GitFile)?;
    Some(folder.join(pointer.trim_end_matches(['\n', '\r']).strip_prefix("gitdir: ")?))
}

/// The folder of what a linked work tree shares with the main one, such as branches; the work tree's own folder is below it. `None` where
/// another one is stated.
pub fn common_folder(system: &dyn System, own: &Path) -> Option<PathBuf> {
    let Some(stated) = system.text(&own.join("commondir"), Role::GitFile) else { return Some(own.to_owned()) };
    let common = own.join(stated.trim_end());
    let is_above = system.real(own).ok()?.starts_with(system.real(&common).ok()?);
    is_above.then_some(common)
}

/// Whether a folder of git's own files belongs to the work tree at `top`: it is there, or says itself that it is that of this work tree, as those
/// of submodules and of further work trees do. Anybody can write a `.git` that leads to the files of another repository.
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

/// Why git is not asked in a folder, if it is not.
pub(super) fn bar(system: &dyn System, folder: &Path) -> Option<Bar> {
    let folder = system.absolute(folder);
    let top = folder.ancestors().find(|above| system.is_repository(above))?;
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

/// Whether a file of git's is a link to a place where git would not have put it.
fn leads_out(system: &dyn System, own: &Path, file: &Path) -> bool {
    let is_link = system.own_status(file).is_ok_and(|status| status.kind == Kind::Link);
    is_link && system.real(file).is_ok_and(|file| !system.real(own).is_ok_and(|own| file.starts_with(own)))
}
