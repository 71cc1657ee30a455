//! Which paths may be used: those that the user named, and the repositories around them.

use std::{
    collections::HashSet,
    env, fs,
    path::{Path, PathBuf},
};

use super::open::new_path;
use crate::{
    Admission, Scope,
    absolute::{goes_back, tidy},
    system::root_of,
};

/// Where a project keeps what belongs to its registry, and the schemas that were imported: in folders of this one.
const OWN: &str = ".cfg";

/// What may be used.
#[derive(Clone, Debug, Default)]
pub(super) struct Admitted {
    /// The paths that the user named, from the root of the file system.
    named: HashSet<PathBuf>,
    /// Folders that the user named by way of links, each with its real path.
    behind_links: Vec<(PathBuf, PathBuf)>,
    /// The real paths of the folders in which the repositories begin.
    roots: Vec<PathBuf>,
    /// The real paths of what was admitted without what is around it.
    alone: HashSet<PathBuf>,
    /// Folders whose repository is among them already.
    known: HashSet<PathBuf>,
    /// The folders in which alone anything may be read, each as it was named and by its real path; none for everywhere.
    confines: Vec<PathBuf>,
}

/// A path that is asked for.
pub(super) struct Place {
    /// From the root of the file system, behind the links that the user named.
    pub(super) path: PathBuf,
    /// Whether the user named it.
    pub(super) is_named: bool,
}

impl Admitted {
    /// Takes in an absolute path, with the repository around it.
    pub(super) fn admit(&mut self, path: PathBuf, how: Admission) {
        let is_folder = fs::metadata(&path).is_ok_and(|metadata| metadata.is_dir());
        let folder = if is_folder { path.as_path() } else { path.parent().unwrap_or(&path) };
        let is_new = self.known.insert(folder.to_owned());
        match how {
            Admission::Named => {
                let real = fs::canonicalize(folder).unwrap_or_else(|_| tidy(folder));
                if is_new && real != folder {
                    self.behind_links.push((folder.to_owned(), real.clone()));
                }
                self.add_root(&root(&real));
                if let Some(name) = path.file_name().filter(|_| !is_folder) {
                    self.named.insert(real.join(name));
                }
                if goes_back(&path) {
                    self.named.insert(tidy(&path));
                }
                self.named.insert(path);
            }
            Admission::Listed if is_new => {
                let own = path.parent().filter(|_| is_folder && path.is_symlink()).unwrap_or(folder);
                let root = root(own);
                self.add_root(&fs::canonicalize(&root).unwrap_or(root));
            }
            Admission::Listed => {}
            Admission::Alone => {
                let real =
                    fs::canonicalize(&path).or_else(|_| new_path(&path).map(|(path, _)| path)).unwrap_or_else(|_| tidy(&path));
                self.add_root(&real);
                self.alone.insert(real);
                self.named.insert(path);
            }
        }
    }

    /// Takes in a folder, by its real path.
    pub(super) fn add_root(&mut self, root: &Path) {
        if !self.roots.iter().any(|known| root.starts_with(known)) {
            self.roots.retain(|known| !known.starts_with(root));
            self.roots.push(root.to_owned());
        }
    }

    /// Takes in a folder outside which nothing may be read, unless it is in another one. One that is not there holds nothing.
    pub(super) fn confine(&mut self, folder: &Path) {
        self.confines.extend(fs::canonicalize(folder));
        self.confines.push(tidy(folder));
    }

    /// Whether it may only be read in some folders, and nothing written.
    pub(super) fn is_confined(&self) -> bool {
        !self.confines.is_empty()
    }

    /// Whether a path is where anything may be read.
    pub(super) fn may_look(&self, path: &Path) -> bool {
        !self.is_confined() || self.confines.iter().any(|folder| path.starts_with(folder))
    }

    /// What an absolute path means.
    pub(super) fn place(&self, path: PathBuf) -> Place {
        let is_named = self.named.contains(&path);
        let behind = self.behind_links.iter().filter_map(|(named, real)| Some((path.strip_prefix(named).ok()?, real)));
        match behind.min_by_key(|(below, _)| below.as_os_str().len()) {
            Some((below, real)) if below.as_os_str().is_empty() => Place { path: real.clone(), is_named },
            Some((below, real)) => Place { path: real.join(below), is_named },
            None => Place { path, is_named },
        }
    }

    /// Whether a path without links is where this scope allows.
    pub(super) fn contains(&self, real: &Path, scope: Scope) -> bool {
        let is_inside = || self.roots.iter().any(|root| real.starts_with(root));
        let is_above = || {
            let kept = real.ancestors().skip(1).take(2).find(|above| above.ends_with(OWN));
            let folder = kept.unwrap_or(real).parent();
            folder.is_some_and(|folder| self.roots.iter().any(|root| root.starts_with(folder)))
        };
        self.may_look(real)
            && match scope {
                Scope::Inside => is_inside(),
                Scope::Around => is_inside() || is_above(),
                Scope::Apart | Scope::Anywhere => true,
            }
    }

    /// Whether a path without links leads into a folder of git, where settings and hooks start programs, unless that was admitted by itself.
    pub(super) fn is_of_git(&self, real: &Path) -> bool {
        let is_git = |path: &&Path| path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(".git"));
        // What is admitted may itself be in such a folder.
        let below =
            real.ancestors().take_while(|above| !self.alone.contains(*above) && !self.roots.iter().any(|root| root == above));
        below.into_iter().any(|above| is_git(&above))
    }

    /// The folders in which the repositories begin.
    pub(super) fn roots(&self) -> &[PathBuf] {
        &self.roots
    }
}

/// The folder in which the repository around a folder begins.
pub(super) fn root(folder: &Path) -> PathBuf {
    let home = env::home_dir().and_then(|home| fs::canonicalize(home).ok());
    root_of(folder, home.as_deref(), &|at| fs::symlink_metadata(at).is_ok())
}
