//! Access to files and folders.

use std::{
    borrow::Cow,
    ffi::OsString,
    fmt, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use crate::{Host, Lock, Role, Scope, SearchOptions, Unsearched, absolute};

/// The only access to files and folders, and to their machine.
pub trait System: fmt::Debug + Send + Sync {
    /// The machine: programs, environment, time.
    fn host(&self) -> &dyn Host;

    /// Allows a path to be used from now on.
    fn admit(&self, path: &Path, how: Admission);

    /// Allows several paths to be used from now on, which may look at each folder around them only once.
    fn admit_all(&self, paths: &[&Path], how: Admission) {
        paths.iter().for_each(|path| self.admit(path, how));
    }

    /// The bytes of a regular file.
    ///
    /// # Errors
    ///
    /// If it does not exist or can't be read, and a [`Refusal`](crate::Refusal) if `role` does not allow it.
    fn read(&self, path: &Path, role: Role) -> io::Result<Vec<u8>>;

    /// As [`read`](Self::read), for a file that the process will probably read once more: a system may keep it until then.
    ///
    /// # Errors
    ///
    /// As for [`read`](Self::read).
    fn read_ahead(&self, path: &Path, role: Role) -> io::Result<Vec<u8>> {
        self.read(path, role)
    }

    /// A regular file as a stream, however large it is, without its holes: parts that have no bytes on the disk. The user must have named it, or a folder
    /// above it.
    ///
    /// # Errors
    ///
    /// As for [`read`](Self::read).
    fn open_stream(&self, path: &Path) -> io::Result<Box<dyn io::Read + Send>>;

    /// The status of a path's target.
    ///
    /// # Errors
    ///
    /// If unknown, or if nothing exists there.
    fn status(&self, path: &Path) -> io::Result<Status>;

    /// The status of a path itself: for a link, that of the link.
    ///
    /// # Errors
    ///
    /// If unknown, or if nothing exists there.
    fn own_status(&self, path: &Path) -> io::Result<Status>;

    /// The entries of a folder, in no order.
    ///
    /// # Errors
    ///
    /// If the folder can't be read, and a [`Refusal`](crate::Refusal) if files of this scope may not be in it.
    fn list(&self, folder: &Path, scope: Scope) -> io::Result<Vec<Entry>>;

    /// As [`list`](Self::list), for who only looks at them: a system that keeps them need not copy them.
    ///
    /// # Errors
    ///
    /// As for [`list`](Self::list).
    fn entries(&self, folder: &Path, scope: Scope) -> io::Result<Arc<[Entry]>> {
        self.list(folder, scope).map(Arc::from)
    }

    /// Whether a folder may be read: a process that is limited to some folders reads no others.
    fn may_look(&self, folder: &Path) -> bool;

    /// Whether the folder of a path is in the repository around it, wherever links lead, or would be if it was there.
    fn stays_inside(&self, path: &Path) -> bool;

    /// The path with its links resolved.
    ///
    /// # Errors
    ///
    /// If it does not exist.
    fn real(&self, path: &Path) -> io::Result<PathBuf>;

    /// Takes the lock of a file, shared with other readers; `None` if a writer holds it. The file is not created: a lock that never existed is held
    /// by no process.
    ///
    /// # Errors
    ///
    /// If the file can't be opened, or is not a file.
    fn share_lock(&self, path: &Path) -> io::Result<Option<Lock>>;

    /// A mark of these bytes that only this user on this machine can make; its secret is outside any repository. `None` if there is no secret yet.
    fn seal(&self, bytes: &[u8]) -> Option<String>;

    /// The files below folders whose paths are `wanted`, in no order. Links to folders are not followed.
    fn search(
        &self,
        folders: &[&Path],
        options: SearchOptions,
        wanted: &(dyn Fn(&Path) -> bool + Sync),
    ) -> Vec<Result<PathBuf, Unsearched>>;

    /// The system with the files that a commit does not contain, if this one has only those of a commit.
    fn with_untracked(&self) -> Option<&dyn System> {
        None
    }

    /// The commit whose files this system has, if it has those of one: the root of its repository, and the full hash.
    fn revision(&self) -> Option<(&Path, &str)> {
        None
    }

    /// The root of the repository around a path: see [`Scope::Inside`](crate::Scope).
    fn root_of(&self, path: &Path) -> PathBuf {
        let home = self.host().variable("HOME").map(PathBuf::from);
        root_of(path, home.as_deref(), &|at| self.own_status(at).is_ok())
    }
}

/// Methods of [`System`] for a layer over another system: those that it leaves to the system in the field `$base`, with or without the search.
#[macro_export]
macro_rules! delegate {
    ($base:ident) => {
        $crate::delegate!($base without search);

        fn search(
            &self,
            folders: &[&::std::path::Path],
            options: $crate::SearchOptions<'_>,
            wanted: &(dyn Fn(&::std::path::Path) -> bool + Sync),
        ) -> Vec<Result<::std::path::PathBuf, $crate::Unsearched>> {
            self.$base.search(folders, options, wanted)
        }
    };
    ($base:ident without search) => {
        $crate::delegate!($base without search and revision);

        fn revision(&self) -> Option<(&::std::path::Path, &str)> {
            self.$base.revision()
        }
    };
    ($base:ident without search and revision) => {
        fn host(&self) -> &dyn $crate::Host {
            self.$base.host()
        }

        fn may_look(&self, folder: &::std::path::Path) -> bool {
            self.$base.may_look(folder)
        }

        fn stays_inside(&self, path: &::std::path::Path) -> bool {
            self.$base.stays_inside(path)
        }

        fn admit(&self, path: &::std::path::Path, how: $crate::Admission) {
            self.$base.admit(path, how);
        }

        fn admit_all(&self, paths: &[&::std::path::Path], how: $crate::Admission) {
            self.$base.admit_all(paths, how);
        }

        fn share_lock(&self, path: &::std::path::Path) -> ::std::io::Result<Option<$crate::Lock>> {
            self.$base.share_lock(path)
        }

        fn seal(&self, bytes: &[u8]) -> Option<String> {
            self.$base.seal(bytes)
        }
    };
}

/// Why a path may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// The user named it: its target may be used, and so may the repository around it.
    Named,
    /// Someone else named it, such as a tool that lists the files of a commit: the repository around it may be used.
    Listed,
    /// The user named it alone, with its contents: a folder for results, a list of known findings.
    Alone,
    /// The user named it, which is admitted separately, as a place for new files: nothing is made there if a link of a repository leads out of it on
    /// the way.
    Output,
}

/// The type of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A link.
    Link,
    /// A pipe, a device, a socket.
    Other,
}

/// The facts about a file without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// Its type.
    pub kind: Kind,
    /// Its size, in bytes.
    pub size: u64,
    /// The time of the last write, since 1970, if known.
    pub modified: Option<Duration>,
    /// Whether its mode forbids writing for everyone.
    pub is_read_only: bool,
    /// Whether its mode allows running it.
    pub is_program: bool,
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: OsString,
    /// Its own type.
    pub kind: Kind,
}

impl dyn System + '_ {
    /// Whether a path leads to a regular file.
    pub fn is_file(&self, path: &Path) -> bool {
        self.status(path).is_ok_and(|status| status.kind == Kind::File)
    }

    /// Whether a path leads to a folder.
    pub fn is_folder(&self, path: &Path) -> bool {
        self.status(path).is_ok_and(|status| status.kind == Kind::Folder)
    }

    /// Whether a path leads to something that exists.
    pub fn exists(&self, path: &Path) -> bool {
        self.status(path).is_ok()
    }

    /// Whether there is something at a path, including a dangling link.
    pub fn is_there(&self, path: &Path) -> bool {
        self.own_status(path).is_ok()
    }

    /// Whether something, even a dangling link, is at a path that a config names. `None` if the path, or a link on it, leads out of the repository, or
    /// if its folder can't be read: what is there must not be told.
    pub fn has_inside(&self, path: &Path) -> Option<bool> {
        let path = absolute::tidy(&self.absolute(path));
        if !self.stays_inside(&path) {
            return None;
        }
        match self.own_status(&path) {
            Ok(_) => Some(true),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Some(false),
            Err(_) => None,
        }
    }

    /// Whether a file, or a link whose target is not looked at, is at a path in the repository: whether one is outside must not be told.
    pub fn is_file_inside(&self, path: &Path) -> bool {
        let path = absolute::tidy(&self.absolute(path));
        self.own_status(&path).is_ok_and(|status| status.kind != Kind::Folder) && self.stays_inside(&path)
    }

    /// Whether a folder is the root of a git repository: a submodule and a linked work tree have a file there.
    pub fn is_repository(&self, folder: &Path) -> bool {
        self.is_there(&absolute::path_in(folder, ".git"))
    }

    /// The bytes of a file; `None` if there is none at the path.
    ///
    /// # Errors
    ///
    /// If it can't be read, or must not be.
    pub fn read_if_there(&self, path: &Path, role: Role) -> io::Result<Option<Vec<u8>>> {
        match self.read(path, role) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if is_no_file(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The text of a file that belongs to other tools, which report its errors.
    pub fn text(&self, path: &Path, role: Role) -> Option<String> {
        String::from_utf8(self.read(path, role).ok()?).ok()
    }

    /// The absolute form of `path`.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        absolute::absolute(self.host().folder(), path).into_owned()
    }

    /// The absolute path of a file, without `..` if its folder exists.
    pub fn plain<'p>(&self, file: &'p Path) -> Cow<'p, Path> {
        if absolute::is_plain(file) {
            return file.into();
        }
        let absolute = absolute::absolute(self.host().folder(), file);
        // `a/..` is not this folder if `a` is a link, so only the file system can resolve it.
        if absolute::goes_back(&absolute)
            && let (Some(Ok(folder)), Some(name)) = (absolute.parent().map(|folder| self.real(folder)), absolute.file_name())
        {
            return folder.join(name).into();
        }
        absolute
    }

    /// A path in messages: relative to the working folder, if it is below it; `.` for the working folder itself.
    pub fn shown(&self, path: &Path) -> String {
        let shown = path.strip_prefix(self.host().folder()).unwrap_or(path);
        if shown.as_os_str().is_empty() { ".".to_owned() } else { shown.to_string_lossy().into_owned() }
    }
}

/// Whether an error means that there is no file: nothing at all, a folder, or a part of the path that is not a folder.
fn is_no_file(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory)
}

/// The files that mark a project if there is no repository.
pub(crate) const MARKS_OF_A_PROJECT: [&str; 3] = ["cfg.toml", "pyproject.toml", "registry.json"];

/// The root of the repository around a folder: the nearest folder with a `.git`, else the nearest one with a file of a project, else the folder
/// itself. A repository in the user's home folder, as for dotfiles, is not that of a project below it, which may be somebody else's archive.
pub(crate) fn root_of(folder: &Path, home: Option<&Path>, is_there: &dyn Fn(&Path) -> bool) -> PathBuf {
    let repository = absolute::around(folder).find(|above| is_there(&above.join(".git")));
    let is_project = |above: &&Path| MARKS_OF_A_PROJECT.iter().any(|mark| is_there(&above.join(mark)));
    let project = || absolute::around(folder).find(is_project);
    let of_home = home.filter(|home| repository.is_some_and(|root| home.starts_with(root)));
    match (repository, of_home) {
        (Some(root), Some(home)) => {
            project().filter(|below| below.starts_with(root) && *below != home).unwrap_or(root).to_owned()
        }
        (Some(root), None) => root.to_owned(),
        (None, _) => project().unwrap_or(folder).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::root_of;

    #[test]
    fn a_repository_of_the_home_is_not_that_of_an_archive_in_it() {
        let root = |folder: &str, there: &[&str]| {
            let is_there = |at: &Path| there.iter().any(|path| at == Path::new(path));
            root_of(Path::new(folder), Some(Path::new("/home/me")), &is_there).to_string_lossy().into_owned()
        };
        let dotfiles = ["/home/me/.git", "/home/me/archive/pyproject.toml"];
        assert_eq!(root("/home/me/archive/configs", &dotfiles), "/home/me/archive");
        assert_eq!(root("/home/me/notes", &dotfiles), "/home/me");
        assert_eq!(root("/home/me/notes", &["/home/me/.git", "/home/me/cfg.toml"]), "/home/me");
        assert_eq!(root("/home/me/clone/configs", &["/home/me/clone/.git", "/home/me/clone/configs/cfg.toml"]), "/home/me/clone");
        assert_eq!(root("/home/me/archive/configs", &dotfiles[1..]), "/home/me/archive");
        assert_eq!(root("/home/me/a/b", &[]), "/home/me/a/b");
    }
}
