//! The files of the next commit: git's index, in which each file has its staged content.
//!
//! The repository and its index are those of the environment variables that git sets for a hook: `git commit FILE` makes a separate index, and a
//! repository need not be in its work tree.

mod blobs;

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    ffi::OsString,
    fmt, io,
    path::{Component, Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use cfg_system::{Entry as Listed, Kind, Role, Scope, SearchOptions, Status, System, Unsearched, git};

use crate::{
    discover::may_be_config,
    git::is_shallow,
    staging::{self, GitError},
};
use blobs::Blobs;

/// The maximum number of links that are followed for a path.
const MAX_LINKS: u32 = 40;

/// The hashes of an empty file in git, in both hash formats.
const EMPTY: [&str; 2] =
    ["e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"];

/// The hashes of an empty tree in git, in both hash formats.
const NO_FILES: [&str; 2] =
    ["4b825dc642cb6eb9a060e54bf8d69288fbee4904", "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"];

/// The index of a repository, or one of its commits, as a system: its files are those that a commit would contain, or contains. Files outside the work tree come from the system below,
/// and so do those of a merge that is not resolved: no commit contains any of their sides.
pub struct Index {
    base: Arc<dyn System>,
    top: PathBuf,
    /// By their paths relative to the root of the work tree. The contents of a folder directly follow it.
    entries: BTreeMap<PathBuf, Entry>,
    blobs: Mutex<Blobs>,
    /// The full hash of the commit whose files it has, instead of those of the index.
    revision: Option<String>,
}

#[derive(Debug)]
struct Entry {
    kind: EntryKind,
    object: Box<str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntryKind {
    File,
    Link,
    Submodule,
    /// A file with several sides, whose text in the work tree shows what is to be resolved.
    Unmerged,
}

/// A file that a commit would change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staged {
    /// Its path from the root of the file system.
    pub path: PathBuf,
    /// Whether it would be deleted.
    pub is_gone: bool,
}

/// The result of following a path.
enum Lead {
    /// A file of the index.
    File(PathBuf),
    /// A folder of the index.
    Folder(PathBuf),
    /// A path outside the index.
    Outside(PathBuf),
    /// Nothing exists there.
    Nothing,
}

impl Index {
    /// The current index of the repository whose work tree contains a folder.
    ///
    /// # Errors
    ///
    /// If git is not installed, finds no repository, or fails.
    pub fn open(system: &Arc<dyn System>, folder: &Path) -> Result<Self, GitError> {
        let top = staging::top(&**system, folder)?;
        let listed = staging::ask(&**system, &top, &["ls-files", "--stage", "-z"])?;
        let mut entries: BTreeMap<PathBuf, Entry> = listed.split(|byte| *byte == 0).filter_map(entry).collect();
        // A file that is only registered (`git add -N`) appears as an empty file, but is not part of a commit.
        let empty: Vec<PathBuf> =
            entries.iter().filter(|(_, entry)| EMPTY.contains(&&*entry.object)).map(|(path, _)| path.clone()).collect();
        if !empty.is_empty() {
            let is_long = entries.values().any(|entry| entry.object.len() > NO_FILES[0].len());
            let none = NO_FILES[usize::from(is_long)];
            let words = ["diff-index", "--cached", "--no-renames", "--ita-invisible-in-index", "--name-only", "-z", none, "--"];
            let added = staging::ask(&**system, &top, &words)?;
            let added: BTreeSet<PathBuf> = added.split(|byte| *byte == 0).map(git::path).collect();
            empty.iter().filter(|path| !added.contains(*path)).for_each(|path| drop(entries.remove(path)));
        }
        let blobs = Mutex::new(Blobs::of(Arc::clone(system), &top));
        Ok(Self { base: Arc::clone(system), top, entries, blobs, revision: None })
    }

    /// The files of a revision of the repository whose work tree contains a folder. Files of the work tree that it does not have are not there, except
    /// those that are no part of a project: an environment, models, git's own files.
    ///
    /// # Errors
    ///
    /// If git is not installed, finds no repository or no such revision, or fails.
    pub fn at(system: &Arc<dyn System>, folder: &Path, revision: &str) -> Result<Self, GitError> {
        let top = staging::top(&**system, folder)?;
        let name = format!("{revision}^{{commit}}");
        let asked = staging::ask(&**system, &top, &["rev-parse", "--verify", "--quiet", "--end-of-options", &name]);
        let asked = asked.map_err(|error| match error {
            // git says nothing about a name that it does not know.
            GitError::Refused(why) if why.is_empty() => GitError::NoCommit { is_shallow: is_shallow(&**system, &top) },
            error => error,
        })?;
        let revision = String::from_utf8_lossy(&asked).trim().to_owned();
        let listed = staging::ask(&**system, &top, &["ls-tree", "-r", "-z", "--full-tree", &revision])?;
        let entries = listed.split(|byte| *byte == 0).filter_map(entry_of_tree).collect();
        let blobs = Mutex::new(Blobs::of(Arc::clone(system), &top));
        Ok(Self { base: Arc::clone(system), top, entries, blobs, revision: Some(revision) })
    }

    /// Whether a file that it does not have may be read from the disk.
    fn is_read_from_disk(&self, role: Role) -> bool {
        match role {
            Role::Config | Role::Registry | Role::KeptText => false,
            Role::Settings | Role::Project | Role::LockFile | Role::SchemaEntry | Role::Journal => self.revision.is_none(),
            _ => true,
        }
    }

    /// The root folder of the work tree.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// All its files, in the order of their paths.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.entries.iter().filter(|(_, entry)| entry.kind != EntryKind::Submodule).map(|(path, _)| self.top.join(path))
    }

    /// Its files that are not merged, in the order of their paths.
    pub fn unmerged(&self) -> impl Iterator<Item = PathBuf> {
        self.entries.iter().filter(|(_, entry)| entry.kind == EntryKind::Unmerged).map(|(path, _)| self.top.join(path))
    }

    /// The configs of the work tree that contain a text, without links. `git grep` is not used, because it loads blobs of any size into memory.
    pub fn with_text(&self, text: &str) -> Vec<PathBuf> {
        let is_file = |kind: EntryKind| matches!(kind, EntryKind::File | EntryKind::Unmerged);
        let is_config = |(path, entry): &(&PathBuf, &Entry)| is_file(entry.kind) && may_be_config(path);
        let has_text = |path: &PathBuf| {
            let bytes = self.blob(path, Role::Config).unwrap_or_default();
            bytes.windows(text.len()).any(|window| window == text.as_bytes())
        };
        let configs = self.entries.iter().filter(is_config).map(|(path, _)| path);
        configs.filter(|path| has_text(path)).map(|path| self.top.join(path)).collect()
    }

    /// The entries below a folder.
    fn below(&self, folder: &Path) -> impl Iterator<Item = &PathBuf> {
        let folder = folder.to_owned();
        self.entries.range(folder.clone()..).map(|(path, _)| path).take_while(move |path| path.starts_with(&folder))
    }

    fn blob(&self, file: &Path, role: Role) -> io::Result<Vec<u8>> {
        let entry = self.entries.get(file).ok_or(io::ErrorKind::NotFound)?;
        if entry.kind == EntryKind::Unmerged {
            return self.base.read(&self.top.join(file), role);
        }
        self.blobs.lock().unwrap_or_else(PoisonError::into_inner).read(&entry.object, role)
    }

    /// Follows a path as the file system would after a checkout of the index. Outside the work tree the real file system is used; links can lead
    /// out of the work tree and back.
    fn follow(&self, path: &Path) -> io::Result<Lead> {
        let whole = self.base.absolute(path);
        let (mut here, mut rest) = match whole.strip_prefix(&self.top) {
            Ok(below) => (PathBuf::new(), names(below)),
            Err(_) => match self.enter(root(&whole), names(&whole)) {
                Ok(inside) => inside,
                Err(_) => return Ok(Lead::Outside(path.to_owned())),
            },
        };
        let mut links = 0;
        while let Some(name) = rest.pop_front() {
            if name == ".." {
                if !here.pop() {
                    let Some(around) = self.top.parent() else { continue };
                    match self.enter(around.to_owned(), std::mem::take(&mut rest)) {
                        Ok(inside) => (here, rest) = inside,
                        Err(outside) => return Ok(Lead::Outside(outside)),
                    }
                }
                continue;
            }
            here.push(name);
            match self.entries.get(&here).map(|entry| entry.kind) {
                None => {}
                Some(EntryKind::Submodule | EntryKind::Unmerged) => {
                    return Ok(Lead::Outside(rest.iter().fold(self.top.join(&here), |path, name| path.join(name))));
                }
                Some(EntryKind::File) if rest.is_empty() => return Ok(Lead::File(here)),
                Some(EntryKind::File) => return Ok(Lead::Nothing),
                Some(EntryKind::Link) => {
                    links += 1;
                    if links > MAX_LINKS {
                        return Err(io::Error::other("too many links lead from one to the next"));
                    }
                    let target = git::path(&self.blob(&here, Role::Config)?);
                    here.pop();
                    names(&target).into_iter().rev().for_each(|name| rest.push_front(name));
                    if target.is_absolute() {
                        match self.enter(root(&target), std::mem::take(&mut rest)) {
                            Ok(inside) => (here, rest) = inside,
                            Err(outside) => return Ok(Lead::Outside(outside)),
                        }
                    }
                }
            }
        }
        let is_folder = here.as_os_str().is_empty() || self.below(&here).next().is_some();
        Ok(if is_folder { Lead::Folder(here) } else { Lead::Nothing })
    }

    /// Follows a path from a folder outside the work tree until it reaches the work tree. Returns the path in the work tree, and the rest of the
    /// path. The error is the resulting path if it never reaches the work tree.
    fn enter(&self, mut at: PathBuf, mut rest: VecDeque<OsString>) -> Result<(PathBuf, VecDeque<OsString>), PathBuf> {
        while let Some(name) = rest.pop_front() {
            if name == ".." {
                at.pop();
            } else {
                at.push(name);
            }
            // A link may lead to the work tree, and `..` is relative to the link's target.
            if let Ok(real) = self.base.real(&at) {
                at = real;
            }
            if let Ok(below) = at.strip_prefix(&self.top) {
                return Ok((below.to_owned(), rest));
            }
        }
        Err(at)
    }
}

impl System for Index {
    cfg_system::delegate!(base without search and revision);

    fn revision(&self) -> Option<(&Path, &str)> {
        self.revision.as_deref().map(|revision| (&*self.top, revision))
    }

    /// The files of the index below the folders; hidden ones are left out. A folder outside the work tree is searched on the disk.
    fn search(
        &self,
        folders: &[&Path],
        options: SearchOptions<'_>,
        wanted: &(dyn Fn(&Path) -> bool + Sync),
    ) -> Vec<Result<PathBuf, Unsearched>> {
        let mut found = Vec::new();
        for folder in folders {
            let Ok(Lead::Folder(below)) = self.follow(folder) else {
                found.extend(self.base.search(&[folder], options, wanted));
                continue;
            };
            let is_hidden = |part: Component<'_>| part.as_os_str().as_encoded_bytes().starts_with(b".");
            for path in self.below(&below) {
                let Ok(inside) = path.strip_prefix(&below) else { continue };
                let is_file = self.entries.get(path).is_some_and(|entry| entry.kind != EntryKind::Submodule);
                if is_file && (options.hidden || !inside.components().any(is_hidden)) && wanted(inside) {
                    found.push(Ok(folder.join(inside)));
                }
            }
        }
        found
    }

    fn with_untracked(&self) -> Option<&dyn System> {
        Some(&*self.base)
    }

    fn read(&self, path: &Path, role: Role) -> io::Result<Vec<u8>> {
        match self.follow(path)? {
            Lead::File(file) => self.blob(&file, role),
            Lead::Outside(path) => self.base.read(&path, role),
            // Files other than configs are read whether git tracks them or not.
            _ if self.is_read_from_disk(role) => self.base.read(path, role),
            Lead::Folder(_) => Err(io::ErrorKind::IsADirectory.into()),
            Lead::Nothing => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn open_stream(&self, path: &Path) -> io::Result<Box<dyn io::Read + Send>> {
        self.base.open_stream(path)
    }

    fn status(&self, path: &Path) -> io::Result<Status> {
        let kind = match self.follow(path)? {
            Lead::File(_) => Kind::File,
            Lead::Folder(_) => Kind::Folder,
            Lead::Outside(path) => return self.base.status(&path),
            Lead::Nothing => return Err(io::ErrorKind::NotFound.into()),
        };
        Ok(Status { kind, size: 0, modified: None, is_read_only: false, is_program: false })
    }

    /// The status of git's own files, which are in no index, and of repositories inside the work tree.
    fn own_status(&self, path: &Path) -> io::Result<Status> {
        self.base.own_status(path)
    }

    fn list(&self, folder: &Path, scope: Scope) -> io::Result<Vec<Listed>> {
        let below = match self.follow(folder)? {
            Lead::Folder(below) => below,
            Lead::Outside(path) => return self.base.list(&path, scope),
            Lead::File(_) => return Err(io::ErrorKind::NotADirectory.into()),
            Lead::Nothing => return Err(io::ErrorKind::NotFound.into()),
        };
        let entry = |path: &PathBuf| {
            let mut steps = path.strip_prefix(&below).ok()?.components();
            let name = steps.next()?.as_os_str().to_owned();
            let kind = match self.entries.get(path).map(|entry| entry.kind) {
                _ if steps.next().is_some() => Kind::Folder,
                Some(EntryKind::Link) => Kind::Link,
                Some(EntryKind::Submodule) => Kind::Folder,
                Some(EntryKind::File | EntryKind::Unmerged) | None => Kind::File,
            };
            Some(Listed { name, kind })
        };
        let mut entries: Vec<Listed> = self.below(&below).filter_map(entry).collect();
        entries.dedup_by(|one, other| one.name == other.name);
        Ok(entries)
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        match self.follow(path)? {
            Lead::File(below) | Lead::Folder(below) => Ok(self.top.join(below)),
            Lead::Outside(path) => self.base.real(&path),
            Lead::Nothing => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// The root of an absolute path.
fn root(path: &Path) -> PathBuf {
    path.components().take_while(|part| matches!(part, Component::Prefix(_) | Component::RootDir)).collect()
}

fn names(path: &Path) -> VecDeque<OsString> {
    let named = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::ParentDir);
    path.components().filter(|part| named(*part)).map(|part| part.as_os_str().to_owned()).collect()
}

/// Parses `<mode> <type> <object>\t<path>`, a line of a tree.
fn entry_of_tree(line: &[u8]) -> Option<(PathBuf, Entry)> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let mut words = str::from_utf8(&line[..tab]).ok()?.split(' ');
    let (mode, _, object) = (words.next()?, words.next()?, words.next()?);
    let kind = match mode {
        "120000" => EntryKind::Link,
        "160000" => EntryKind::Submodule,
        _ => EntryKind::File,
    };
    Some((git::path(&line[tab + 1..]), Entry { kind, object: object.into() }))
}

/// Parses `<mode> <object> <stage>\t<path>`. During a conflict there is no stage 0, but up to three others.
fn entry(line: &[u8]) -> Option<(PathBuf, Entry)> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let mut words = str::from_utf8(&line[..tab]).ok()?.split(' ');
    let (mode, object, stage) = (words.next()?, words.next()?, words.next()?);
    let kind = match mode {
        "120000" if stage == "0" => EntryKind::Link,
        "160000" => EntryKind::Submodule,
        _ if stage != "0" => EntryKind::Unmerged,
        _ => EntryKind::File,
    };
    Some((git::path(&line[tab + 1..]), Entry { kind, object: object.into() }))
}

impl fmt::Debug for Index {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Index").field("top", &self.top).field("entries", &self.entries.len()).finish_non_exhaustive()
    }
}
