//! Where files are read: the disk, or what is about to be committed.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use crate::Index;

/// Where files are read.
#[derive(Clone, Debug, Default)]
pub enum Files {
    /// The disk.
    #[default]
    Disk,
    /// The index of a git repository; what lies outside of its work tree is read from the disk.
    Staged(Arc<Index>),
}

impl Files {
    /// The bytes of a file.
    ///
    /// # Errors
    ///
    /// Where there is none, or it can't be read. A file of the work tree that git does not track is none of what is staged.
    pub fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self {
            Self::Disk => fs::read(path),
            Self::Staged(index) => index.read(path),
        }
    }

    /// Whether a path leads to a file.
    pub fn is_file(&self, path: &Path) -> bool {
        match self {
            Self::Disk => path.is_file(),
            Self::Staged(index) => index.is_file(path),
        }
    }

    /// Whether a path leads to a folder.
    pub fn is_folder(&self, path: &Path) -> bool {
        match self {
            Self::Disk => path.is_dir(),
            Self::Staged(index) => index.is_folder(path),
        }
    }

    /// The paths of what lies in a folder, in no order.
    ///
    /// # Errors
    ///
    /// Where the folder can't be read.
    pub fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        match self {
            Self::Disk => fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect(),
            Self::Staged(index) => index.list(folder),
        }
    }

    /// The path without links in it.
    ///
    /// # Errors
    ///
    /// Where it leads nowhere.
    pub fn real(&self, path: &Path) -> io::Result<PathBuf> {
        match self {
            Self::Disk => fs::canonicalize(path),
            Self::Staged(index) => index.real(path),
        }
    }

    /// The bytes of a regular file that surrounds configs; nothing where there is none. One that git does not track surrounds them as
    /// well.
    pub(crate) fn read_around(&self, path: &Path) -> io::Result<Option<Vec<u8>>> {
        match self {
            Self::Staged(index) if index.is_file(path) => index.read(path).map(Some),
            _ => read_regular(path),
        }
    }

    /// The text of a regular file that other tools own: what is wrong with it is theirs to say.
    pub(crate) fn text_around(&self, path: &Path) -> Option<String> {
        String::from_utf8(self.read_around(path).ok()??).ok()
    }
}

/// The bytes of a regular file; nothing where there is none. Pipes and devices are left alone: reading them could wait forever.
pub(crate) fn read_regular(path: &Path) -> io::Result<Option<Vec<u8>>> {
    read_regular_up_to(path, u64::MAX)
}

/// The bytes of a regular file of so many bytes at most; nothing where there is none.
pub(crate) fn read_regular_up_to(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() && metadata.len() <= most => fs::read(path).map(Some),
        Ok(_) => Ok(None),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

/// `path` without `.`; `..` stays, as links may stand before it.
pub(crate) fn without_dots(path: &Path) -> PathBuf {
    path.components().filter(|component| *component != Component::CurDir).collect()
}

/// `path` without `.`, and without what `..` goes back over.
pub fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            // Above the root there is only the root.
            Component::ParentDir if tidy.file_name().is_some() || tidy.has_root() => {
                tidy.pop();
            }
            other => tidy.push(other),
        }
    }
    tidy
}

/// The text of a regular file on the disk that other tools own.
pub(crate) fn read_text(path: &Path) -> Option<String> {
    let bytes = read_regular(path).ok()??;
    String::from_utf8(bytes).ok()
}
