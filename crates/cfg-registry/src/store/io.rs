//! The few things that the store asks of a file system, one by one, so that a test can end the process before and after each.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A file.
    File {
        /// Whether its mode forbids writing.
        is_read_only: bool,
    },
    /// A folder.
    Folder,
    /// Something else.
    Other,
}

/// A lock that is held until this is dropped, or the process ends.
#[derive(Debug)]
pub struct Lock {
    _file: Option<File>,
}

impl Lock {
    /// A lock that no file stands for.
    pub const fn free() -> Self {
        Self { _file: None }
    }
}

/// A file system. Each function is one step that either happens or does not, but for [`write`](Self::write), of which any part may.
pub trait Io {
    /// The bytes of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// What a path leads to; nothing where there is nothing.
    fn look(&self, path: &Path) -> io::Result<Option<Found>>;
    /// The path without links in it.
    fn real(&self, path: &Path) -> io::Result<PathBuf>;
    /// The names in a folder, in no order.
    fn list(&self, folder: &Path) -> io::Result<Vec<String>>;
    /// Makes a folder; it may be there.
    fn create_folder(&self, path: &Path) -> io::Result<()>;
    /// Makes an empty file, where there must be none.
    fn create(&self, path: &Path) -> io::Result<()>;
    /// Writes the bytes of an empty file.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Gives a file the mode of another one, or that without the right to write.
    fn copy_mode(&self, from: &Path, to: &Path, is_read_only: bool) -> io::Result<()>;
    /// Waits until the bytes of a file are on the disk.
    fn sync(&self, path: &Path) -> io::Result<()>;
    /// Waits until the names in a folder are on the disk.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
    /// Gives a file another name, in place of the file that has it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Takes the lock that a file stands for; nothing where another process has it.
    fn lock(&self, path: &Path) -> io::Result<Option<Lock>>;
}

/// The file system of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Io for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        fs::read(path)
    }

    fn look(&self, path: &Path) -> io::Result<Option<Found>> {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => Ok(Some(Found::File { is_read_only: metadata.permissions().readonly() })),
            Ok(metadata) if metadata.is_dir() => Ok(Some(Found::Folder)),
            Ok(_) => Ok(Some(Found::Other)),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned())).collect()
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        match fs::create_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
            made => made,
        }
    }

    fn create(&self, path: &Path) -> io::Result<()> {
        OpenOptions::new().write(true).create_new(true).open(path).map(drop)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        OpenOptions::new().write(true).open(path)?.write_all(bytes)
    }

    fn copy_mode(&self, from: &Path, to: &Path, is_read_only: bool) -> io::Result<()> {
        let mut permissions = fs::metadata(from)?.permissions();
        if is_read_only {
            permissions.set_readonly(true);
        }
        fs::set_permissions(to, permissions)
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        // Other systems can't open a folder, and keep its names by themselves.
        if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn lock(&self, path: &Path) -> io::Result<Option<Lock>> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Lock { _file: Some(file) })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}
