//! The paths that may be used: those that the user named, and the repositories around them.

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

/// The folder of a project for its registry's files, and for imported schemas.
const OWN: &str = ".cfg";

/// The paths that may be used.
#[derive(Clone, Debug, Default)]
pub(super) struct Admitted {
    /// The paths that the user named, as absolute paths.
    named: HashSet<PathBuf>,
    /// Folders that the user named through links, each with its real path.
    behind_links: Vec<(PathBuf, PathBuf)>,
    /// The real paths of the roots of the repositories.
    roots: Vec<PathBuf>,
    /// The real paths that were admitted without their surroundings.
    alone: HashSet<PathBuf>,
    /// Folders whose repository is already included.
    known: HashSet<PathBuf>,
    /// The only folders in which reading is allowed, each as it was named and by its real path; empty for everywhere.
    confines: Vec<PathBuf>,
}

/// A requested path.
pub(super) struct RequestedPath {
    /// The absolute path, with the links that the user named resolved.
    pub(super) path: PathBuf,
    /// Whether the user named it.
    pub(super) is_named: bool,
}

impl Admitted {
    /// Adds an absolute path, with the repository around it.
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

    /// Adds a folder, by its real path.
    pub(super) fn add_root(&mut self, root: &Path) {
        if !self.roots.iter().any(|known| root.starts_with(known)) {
            self.roots.retain(|known| !known.starts_with(root));
            self.roots.push(root.to_owned());
        }
    }

    /// Adds a folder; nothing outside such folders may be read. A folder that does not exist contains nothing.
    pub(super) fn confine(&mut self, folder: &Path) {
        self.confines.extend(fs::canonicalize(folder));
        self.confines.push(tidy(folder));
    }

    /// Whether reading is limited to some folders, and writing is not allowed.
    pub(super) fn is_confined(&self) -> bool {
        !self.confines.is_empty()
    }

    /// Whether a path is where reading is allowed.
    pub(super) fn may_look(&self, path: &Path) -> bool {
        !self.is_confined() || self.confines.iter().any(|folder| path.starts_with(folder))
    }

    /// The same for an absolute path that may contain `..`.
    pub(super) fn may_look_untidy(&self, path: &Path) -> bool {
        !self.is_confined() || self.may_look(&tidy(path))
    }

    /// Resolves an absolute path.
    pub(super) fn place(&self, path: PathBuf) -> RequestedPath {
        let is_named = self.named.contains(&path);
        let behind = self.behind_links.iter().filter_map(|(named, real)| Some((path.strip_prefix(named).ok()?, real)));
        match behind.min_by_key(|(below, _)| below.as_os_str().len()) {
            Some((below, real)) if below.as_os_str().is_empty() => RequestedPath { path: real.clone(), is_named },
            Some((below, real)) => RequestedPath { path: real.join(below), is_named },
            None => RequestedPath { path, is_named },
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

    /// Whether a folder is in a repository, or a folder above one: that it exists is known.
    pub(super) fn is_known(&self, folder: &Path) -> bool {
        self.roots.iter().any(|root| folder.starts_with(root) || root.starts_with(folder))
    }

    /// Whether a path without links leads into a folder of git, in which settings and hooks start programs, unless that was admitted itself.
    pub(super) fn is_of_git(&self, real: &Path) -> bool {
        let is_git = |path: &&Path| path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(".git"));
        // The admitted path may itself be in such a folder.
        let below =
            real.ancestors().take_while(|above| !self.alone.contains(*above) && !self.roots.iter().any(|root| root == above));
        below.into_iter().any(|above| is_git(&above))
    }

    /// The roots of the repositories.
    pub(super) fn roots(&self) -> &[PathBuf] {
        &self.roots
    }
}

/// The root of the repository around a folder.
pub(super) fn root(folder: &Path) -> PathBuf {
    let home = env::home_dir().and_then(|home| fs::canonicalize(home).ok());
    root_of(folder, home.as_deref(), &|at| fs::symlink_metadata(at).is_ok())
}
