//! The paths that may be used: those that the user named, and the repositories around them.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    env,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    open::{Resolved, follow, is_confined_to, new_path},
    roots::Roots,
};
use crate::{
    Admission, PathSet, Refusal, Scope,
    absolute::{around, folder_and_name, goes_back, is_out_of_reach, is_within, key, tidy},
    system::{MARKS_OF_A_PROJECT, root_of},
};

/// The folder of a project for its registry's files, and for imported schemas.
const OWN: &str = ".cfg";

/// The paths that may be used.
#[derive(Clone, Debug, Default)]
pub(super) struct Admitted {
    /// The [keys](key) of the paths that the user named, as absolute paths.
    named: PathSet,
    /// The real paths of the folders that the user named through links, by their paths.
    behind_links: HashMap<PathBuf, PathBuf>,
    /// The real paths of the roots of the repositories.
    roots: Roots,
    /// The real paths that were admitted without their surroundings.
    alone: HashSet<PathBuf>,
    /// Folders whose repository is already included.
    known: PathSet,
    /// The places to which a link of a repository leads out of it, on the way of a path that the user named.
    beyond: Vec<Beyond>,
    /// The only folders in which reading is allowed, each as it was named and by its real path; empty for everywhere.
    confines: Vec<PathBuf>,
}

/// A place to which a link of a repository leads out of it. The repository, not the user, chose it, whether the user named the link itself or a path below
/// it: it may be read, but not written.
#[derive(Clone, Debug)]
struct Beyond {
    /// Its real path.
    place: PathBuf,
    /// The link, in a folder without links.
    link: PathBuf,
    /// The repository of the link, which may be in that place.
    repository: PathBuf,
}

/// A requested path.
pub(super) struct RequestedPath<'p> {
    /// The absolute path, with the links that the user named resolved.
    pub(super) path: Cow<'p, Path>,
    /// Whether the user named it.
    pub(super) is_named: bool,
}

impl Admitted {
    /// Makes room for paths that the user named.
    pub(super) fn reserve(&mut self, paths: usize) {
        self.named.reserve(paths);
    }

    /// Adds an absolute path, with the repository around it.
    pub(super) fn admit(&mut self, path: &Path, how: Admission, visited: &mut Visited) {
        if is_out_of_reach(path) {
            self.named.extend((how != Admission::Listed).then(|| key(path).into_owned()));
            return;
        }
        // Looking for the repository around it would tell what there is.
        if self.is_confined() && !is_confined_to(self, path) {
            return;
        }
        let own = fs::symlink_metadata(path);
        let is_link = own.as_ref().is_ok_and(fs::Metadata::is_symlink);
        let there = if is_link { fs::metadata(path) } else { own };
        let is_folder = there.is_ok_and(|metadata| metadata.is_dir());
        let folder = folder_and_name(path).filter(|_| !is_folder).map_or(path, |(folder, _)| folder);
        let is_new = !self.known.contains(&*key(folder)) && self.known.insert(key(folder).into_owned());
        match how {
            Admission::Named => {
                let real = visited.real(folder).unwrap_or_else(|_| tidy(folder));
                if let Some(root) = visited.new_root(&real) {
                    self.roots.add(&root);
                }
                if is_link {
                    self.leave(path, root);
                }
                if real != folder {
                    self.named.extend(path.file_name().filter(|_| !is_folder).map(|name| key(&real.join(name)).into_owned()));
                    if is_new {
                        // The links may be others by now: the place is the one that they are judged by.
                        let place = self.leave(folder, root);
                        self.behind_links.insert(folder.to_owned(), place);
                    }
                }
                if goes_back(path) {
                    self.named.insert(key(&tidy(path)).into_owned());
                }
                self.named.insert(key(path).into_owned());
            }
            Admission::Listed if is_new => {
                let own = path.parent().filter(|_| is_folder && path.is_symlink()).unwrap_or(folder);
                if let Some(root) = visited.new_root(own) {
                    self.roots.add(&fs::canonicalize(&root).unwrap_or(root));
                }
            }
            Admission::Listed => {}
            Admission::Output => drop(self.leave(path, Path::to_owned)),
            Admission::Alone => {
                let real =
                    fs::canonicalize(path).or_else(|_| new_path(path).map(|(path, _)| path)).unwrap_or_else(|_| tidy(path));
                self.roots.add(&real);
                self.alone.insert(real);
                self.named.insert(key(path).into_owned());
            }
        }
    }

    /// Notes the place of a path if a link of a repository leads there, out of that repository. What a command writes for an input, such as a registry, is
    /// anywhere in the repository around it; an output has nothing around it: `whole` is what belongs to the real path. Returns that path.
    fn leave(&mut self, path: &Path, whole: fn(&Path) -> PathBuf) -> PathBuf {
        // A path that does not exist yet is made without the parts that `..` removes, wherever a link before them leads.
        if goes_back(path) {
            self.leave(&tidy(path), whole);
        }
        let (resolved, _) = follow(path);
        if let Some((link, repository)) = self.left_by(&resolved) {
            // The path begins there, and the settings there apply.
            self.roots.add(&repository);
            self.beyond.push(Beyond { place: whole(&resolved.path), link, repository });
        }
        resolved.path
    }

    /// The first link on the way of a path that leads out of its own repository, and the real path of that repository.
    fn left_by(&self, resolved: &Resolved) -> Option<(PathBuf, PathBuf)> {
        resolved.links.iter().find_map(|link| {
            let repository = self.repository_of(link.parent()?)?;
            (!is_within(&resolved.path, &repository)).then(|| (link.clone(), repository))
        })
    }

    /// The real path of the repository around a folder, of which everything in it may be somebody else's. The user's home folder is none.
    fn repository_of(&self, folder: &Path) -> Option<PathBuf> {
        let root = root(folder);
        let is_marked = [".git"].iter().chain(&MARKS_OF_A_PROJECT).any(|mark| fs::symlink_metadata(root.join(mark)).is_ok());
        let root = if is_marked { root } else { self.roots.around(folder)?.to_owned() };
        let has_home = home().is_some_and(|home| is_within(&home, &root));
        (!has_home).then_some(root)
    }

    /// Whether a path may be written that was resolved: not if a link of a repository leads out of it on the way.
    ///
    /// # Errors
    ///
    /// [`Refusal::BehindLink`].
    pub(super) fn may_write(&self, requested: &RequestedPath, resolved: &Resolved) -> Result<(), Refusal> {
        let real = &resolved.path;
        let behind = |link: PathBuf| Refusal::BehindLink { link, to: real.clone() };
        let is_beyond = |beyond: &&Beyond| is_within(real, &beyond.place) && !is_within(real, &beyond.repository);
        if let Some(beyond) = self.beyond.iter().find(is_beyond) {
            return Err(behind(beyond.link.clone()));
        }
        // A file may have become a link since it was admitted, and what is out of reach was not looked at.
        if !requested.is_named {
            return Ok(());
        }
        if !resolved.links.is_empty() && is_out_of_reach(&requested.path) {
            return Err(Refusal::TooDeep);
        }
        self.left_by(resolved).map_or(Ok(()), |(link, _)| Err(behind(link)))
    }

    /// Adds a folder, by its real path.
    pub(super) fn add_root(&mut self, root: &Path) {
        self.roots.add(root);
    }

    /// Adds a folder by its real path; nothing outside such folders may be read. A folder that does not exist contains nothing, and neither does a link
    /// that has taken its place.
    pub(super) fn confine(&mut self, folder: &Path) {
        if cfg!(windows) {
            // There, a real path has a prefix.
            self.confines.extend(fs::canonicalize(folder));
        }
        self.confines.push(tidy(folder));
    }

    /// Whether reading is limited to some folders, and writing is not allowed.
    pub(super) fn is_confined(&self) -> bool {
        !self.confines.is_empty()
    }

    /// Whether a path is where reading is allowed.
    pub(super) fn may_look(&self, path: &Path) -> bool {
        !self.is_confined() || self.confines.iter().any(|folder| is_within(path, folder))
    }

    /// The same for an absolute path that may contain `..`.
    pub(super) fn may_look_untidy(&self, path: &Path) -> bool {
        !self.is_confined() || self.may_look(&tidy(path))
    }

    /// Resolves an absolute path.
    pub(super) fn place<'p>(&self, path: Cow<'p, Path>) -> RequestedPath<'p> {
        let is_named = self.named.contains(&*key(&path));
        if self.behind_links.is_empty() {
            return RequestedPath { path, is_named };
        }
        let resolved = around(&path).find_map(|named| {
            let real = self.behind_links.get(named)?;
            let below = path.strip_prefix(named).ok().filter(|below| !below.as_os_str().is_empty());
            Some(below.map_or_else(|| real.clone(), |below| real.join(below)))
        });
        RequestedPath { path: resolved.map_or(path, Cow::Owned), is_named }
    }

    /// Whether a path without links is where this scope allows.
    pub(super) fn contains(&self, real: &Path, scope: Scope) -> bool {
        let is_inside = || self.roots.around(real).is_some();
        let is_above = || {
            let kept = around(real).skip(1).take(2).find(|above| above.ends_with(OWN));
            let folder = kept.unwrap_or(real).parent();
            folder.is_some_and(|folder| self.roots.first_in(folder).is_some())
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
        self.roots.around(folder).or_else(|| self.roots.first_in(folder)).is_some()
    }

    /// Whether a path without links leads into a folder of git, in which settings and hooks start programs, unless that was admitted itself.
    pub(super) fn is_of_git(&self, real: &Path) -> bool {
        let is_git = |path: &&Path| path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(".git"));
        // The admitted path may itself be in such a folder.
        let below = around(real).take_while(|above| !self.alone.contains(*above) && !self.roots.has(above));
        below.into_iter().any(|above| is_git(&above))
    }

    /// The roots of the repositories.
    pub(super) const fn roots(&self) -> &Roots {
        &self.roots
    }
}

/// What was found out about folders while several paths are admitted: most of them are in the same folders.
#[derive(Debug)]
pub(super) struct Visited {
    /// The real path of the user's home folder.
    home: Option<PathBuf>,
    /// The folders on whose paths there are no links.
    without_links: PathSet,
    roots: Roots,
}

impl Visited {
    pub(super) fn new() -> Self {
        Self { home: home(), without_links: PathSet::default(), roots: Roots::default() }
    }

    /// The real path of a folder.
    fn real(&mut self, folder: &Path) -> io::Result<PathBuf> {
        // Elsewhere, folders without links can have several paths.
        let may_be_real = cfg!(target_os = "linux") && !goes_back(folder);
        if may_be_real && self.is_without_links(folder) { Ok(folder.to_owned()) } else { fs::canonicalize(folder) }
    }

    /// Whether a path without `..` leads to a folder, and there are no links on it.
    fn is_without_links(&mut self, folder: &Path) -> bool {
        let new: Vec<&Path> = around(folder).take_while(|folder| !self.without_links.contains(folder.as_os_str())).collect();
        let is_without = new.iter().rev().all(|folder| fs::symlink_metadata(folder).is_ok_and(|status| status.is_dir()));
        if is_without {
            self.without_links.extend(new.into_iter().map(OsString::from));
        }
        is_without
    }

    /// The root of the repository around a folder; `None` if that is in one that was returned before.
    fn new_root(&mut self, folder: &Path) -> Option<PathBuf> {
        // The home folder is treated differently from the folders in it.
        let has_home = |root: &Path| self.home.as_ref().is_some_and(|home| is_within(home, root));
        if self.roots.around(folder).is_some_and(|root| !has_home(root)) {
            return None;
        }
        let root = root_within(folder, self.home.as_deref());
        self.roots.add(&root);
        Some(root)
    }
}

/// The root of the repository around a folder.
pub(super) fn root(folder: &Path) -> PathBuf {
    root_within(folder, home().as_deref())
}

fn root_within(folder: &Path, home: Option<&Path>) -> PathBuf {
    root_of(folder, home, &|at| fs::symlink_metadata(at).is_ok())
}

fn home() -> Option<PathBuf> {
    env::home_dir().and_then(|home| fs::canonicalize(home).ok())
}
