//! Files and folders, as everything above asks for them.

use std::{
    ffi::OsString,
    fmt, io,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{Host, Lock, Role, Scope, SearchOptions, Unsearched, absolute};

/// The one way to files and folders, and to the machine that they are on.
pub trait System: fmt::Debug + Send + Sync {
    /// The machine: programs, environment, time.
    fn host(&self) -> &dyn Host;

    /// Takes note of a path that may be used from now on.
    fn admit(&self, path: &Path, how: Admission);

    /// The bytes of a regular file.
    ///
    /// # Errors
    ///
    /// Where there is none or it can't be read, and a [`Refusal`](crate::Refusal) where what `role` allows says no.
    fn read(&self, path: &Path, role: Role) -> io::Result<Vec<u8>>;

    /// A regular file that is read piece by piece, however large it is. The user must have named it, or a folder above it.
    ///
    /// # Errors
    ///
    /// As for [`read`](Self::read).
    fn open_stream(&self, path: &Path) -> io::Result<Box<dyn io::Read + Send>>;

    /// What a path leads to.
    ///
    /// # Errors
    ///
    /// Where that is unknown, or there is nothing.
    fn status(&self, path: &Path) -> io::Result<Status>;

    /// What is at a path itself: of a link, the link.
    ///
    /// # Errors
    ///
    /// Where that is unknown, or there is nothing.
    fn own_status(&self, path: &Path) -> io::Result<Status>;

    /// What is in a folder, in no order.
    ///
    /// # Errors
    ///
    /// Where the folder can't be read, and a [`Refusal`](crate::Refusal) where files of this scope may not be in it.
    fn list(&self, folder: &Path, scope: Scope) -> io::Result<Vec<Entry>>;

    /// Whether anything in a folder may be looked at: a process that is confined to some folders looks into no others.
    fn may_look(&self, folder: &Path) -> bool;

    /// The path without links in it.
    ///
    /// # Errors
    ///
    /// Where it leads nowhere.
    fn real(&self, path: &Path) -> io::Result<PathBuf>;

    /// Takes the lock that a file stands for, together with others that only read; `None` if somebody holds it who writes. The file is not made:
    /// nobody holds a lock that was never there.
    ///
    /// # Errors
    ///
    /// Where the file can't be opened, or is none.
    fn share_lock(&self, path: &Path) -> io::Result<Option<Lock>>;

    /// A mark of these bytes that only this user on this machine can make; its secret is outside any repository. `None` if there is no
    /// secret yet.
    fn seal(&self, bytes: &[u8]) -> Option<String>;

    /// The files below folders whose paths are `wanted`, in no order. Links to folders are not followed.
    fn search(
        &self,
        folders: &[&Path],
        options: SearchOptions,
        wanted: &(dyn Fn(&Path) -> bool + Sync),
    ) -> Vec<Result<PathBuf, Unsearched>>;

    /// The folder in which the repository around a path begins: see [`Scope::Inside`](crate::Scope).
    fn root_of(&self, path: &Path) -> PathBuf {
        let home = self.host().variable("HOME").map(PathBuf::from);
        root_of(path, home.as_deref(), &|at| self.own_status(at).is_ok())
    }
}

/// How a path comes to be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// The user named it: it is used wherever it leads, and so is the repository around it.
    Named,
    /// Someone else named it, such as a tool that lists the files of a commit: the repository around it may be used.
    Listed,
    /// The user named it for itself, with what is below it: a folder for results, a list of known findings.
    Alone,
}

/// What is at a path.
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

/// What is known of a file without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// What it is.
    pub kind: Kind,
    /// Its size, in bytes.
    pub size: u64,
    /// When it was last written, since 1970, where that is known.
    pub modified: Option<Duration>,
    /// Whether its mode forbids everyone to write it.
    pub is_read_only: bool,
    /// Whether its mode allows someone to run it.
    pub is_program: bool,
}

/// What is in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: OsString,
    /// What it is itself.
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

    /// Whether a path leads to something.
    pub fn exists(&self, path: &Path) -> bool {
        self.status(path).is_ok()
    }

    /// Whether there is something at a path, if only a link that leads nowhere.
    pub fn is_there(&self, path: &Path) -> bool {
        self.own_status(path).is_ok()
    }

    /// Whether a git repository begins in a folder: a submodule and a linked work tree have a file there.
    pub fn is_repository(&self, folder: &Path) -> bool {
        self.is_there(&folder.join(".git"))
    }

    /// The bytes of a file; `None` if there is none at the path.
    ///
    /// # Errors
    ///
    /// Where it can't be read, or must not be.
    pub fn read_if_there(&self, path: &Path, role: Role) -> io::Result<Option<Vec<u8>>> {
        match self.read(path, role) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if is_no_file(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The text of a file that other tools own: what is wrong with it is theirs to say.
    pub fn text(&self, path: &Path, role: Role) -> Option<String> {
        String::from_utf8(self.read(path, role).ok()?).ok()
    }

    /// `path` from the root of the file system.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        absolute::absolute(self.host().folder(), path)
    }

    /// The path of a file from the root of the file system, without `..` where its folder exists.
    pub fn plain(&self, file: &Path) -> PathBuf {
        let absolute = self.absolute(file);
        // `a/..` is not this folder where `a` is a link, so only the file system can tell what is meant.
        if absolute::goes_back(&absolute)
            && let (Some(Ok(folder)), Some(name)) = (absolute.parent().map(|folder| self.real(folder)), absolute.file_name())
        {
            return folder.join(name);
        }
        absolute
    }

    /// A path for people: from the working folder, where it is below it; `.` for the working folder itself.
    pub fn shown(&self, path: &Path) -> String {
        let shown = path.strip_prefix(self.host().folder()).unwrap_or(path);
        if shown.as_os_str().is_empty() { ".".to_owned() } else { shown.to_string_lossy().into_owned() }
    }
}

/// Whether an error says that there is no file: nothing at all, a folder, or something on the way that is none.
fn is_no_file(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory)
}

/// The files by which a project is known where no repository is.
const MARKS_OF_A_PROJECT: [&str; 3] = ["cfg.toml", "pyproject.toml", "registry.json"];

/// The folder in which the repository around a folder begins: the nearest one with a `.git`, else the nearest one that holds a file of a
/// project, else the folder itself. A repository that holds the user's home, as for their dotfiles, is not that of a project below it,
/// which may be an archive of somebody else's.
pub(crate) fn root_of(folder: &Path, home: Option<&Path>, is_there: &dyn Fn(&Path) -> bool) -> PathBuf {
    let repository = folder.ancestors().find(|above| is_there(&above.join(".git")));
    let is_project = |above: &&Path| MARKS_OF_A_PROJECT.iter().any(|mark| is_there(&above.join(mark)));
    let project = || folder.ancestors().find(is_project);
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
