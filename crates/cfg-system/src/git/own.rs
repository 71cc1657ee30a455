//! Git's own folders of a repository, and whether they belong to its work tree.

use std::path::{Path, PathBuf};

use super::{opened::Opened, path};
use crate::{Kind, Role, System};

/// Why git is not run in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bar {
    /// One of its own files is something that it would wait for, or that it would read for a long time.
    Odd,
    /// The repository's own files belong to one that does not know this work tree, or lead to another one: git would report what somebody else has.
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
/// one is stated, or it can't be read.
pub fn common_folder(system: &dyn System, own: &Path) -> Option<PathBuf> {
    let Some(stated) = system.read_if_there(&own.join("commondir"), Role::GitFile).ok()? else { return Some(own.to_owned()) };
    // Spaces belong to the path.
    let end = stated.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    let common = own.join(path(&stated[..end]));
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

/// A repository, as git finds it from a folder.
pub(super) struct Place {
    /// The root of its work tree.
    pub(super) top: PathBuf,
    /// Its own folder; `None` if the file `.git` names none.
    own: Option<PathBuf>,
    /// Whether the folder is in one of git's own: there, git finds repositories of submodules and of other work trees by other files.
    is_of_git: bool,
}

impl Place {
    /// The repository around a folder. git works in the folder's real path.
    pub(super) fn around(system: &dyn System, folder: &Path) -> Option<Self> {
        let folder = system.absolute(folder);
        let folder = system.real(&folder).unwrap_or(folder);
        let top = crate::around(&folder).find(|above| system.is_repository(above))?.to_owned();
        let below = folder.strip_prefix(&top).unwrap_or(&folder);
        let is_of_git = below.iter().any(|name| name.eq_ignore_ascii_case(".git"));
        Some(Self { own: own_folder(system, &top), top, is_of_git })
    }

    /// Whether it may be read, including git's own files.
    pub(super) fn may_look(&self, system: &dyn System) -> bool {
        let Some(own) = &self.own else { return false };
        let may_look = |common: PathBuf| system.may_look(&common);
        system.may_look(&self.top) && system.may_look(own) && common_folder(system, own).is_none_or(may_look)
    }

    /// Why git is not run in it, with references of these names; `None` if it is.
    pub(super) fn bar(&self, system: &dyn System, mut references: impl Iterator<Item = String>) -> Option<Bar> {
        let is_odd = |name: &str| system.status(&self.top.join(name)).is_ok_and(|status| status.kind == Kind::Other);
        if [".git", ".gitattributes", ".gitmodules"].into_iter().any(is_odd) {
            return Some(Bar::Odd);
        }
        if self.is_of_git {
            return Some(Bar::Foreign);
        }
        let own = self.own.as_ref()?;
        let stated = common_folder(system, own);
        let opened = Opened::of(system, own, stated.as_ref().unwrap_or(own));
        if stated.is_none() || !belongs(system, &self.top, own) {
            return Some(opened.bar().filter(|bar| *bar == Bar::Odd).unwrap_or(Bar::Foreign));
        }
        opened.bar().or_else(|| references.find_map(|name| opened.bar_of_reference(&name)))
    }
}
