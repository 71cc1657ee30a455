//! Changes files, each completely or not at all.
//!
//! A new text is first written to a file without a name, if the system has such files: an interrupted process leaves nothing behind. Only then the
//! file gets a name.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions, Permissions, TryLockError},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

mod turn;

use self::turn::Turn;
use super::refused;
use crate::{Lock, NewMode, Refusal};

/// Creates a file at a path where nothing exists.
pub(super) fn create(path: &Path, bytes: &[u8], mode: NewMode<'_>) -> io::Result<()> {
    let mut staged = Staged::new(path, mode)?;
    staged.write(bytes)?;
    staged.create(path)?;
    sync_folder(folder_of(path))
}

/// Replaces the bytes of a file, if it contains `old`. `seal` makes a name that only this user can know.
pub(super) fn replace(path: &Path, old: &[u8], new: &[u8], seal: &dyn Fn() -> Option<String>) -> io::Result<()> {
    // Held until the end: between the comparison with the old text and the change, no other process changes the file.
    let turn = Turn::take(path)?;
    let there = &turn.there;
    if there.permissions().readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is not writable"));
    }
    let mut staged = Staged::new(path, NewMode::Private)?;
    staged.write(new)?;
    if links(there) > 1 || staged.take_after(path, there).is_err() {
        return in_place(path, &mut staged, old, new);
    }
    // As late as possible, so that what an editor saved in the meantime is not lost.
    still_holds(path, old)?;
    staged.replace(path, seal)?;
    sync_folder(folder_of(path))
}

/// Writes into the existing file: one with several names, or of another owner, can't be replaced without losing these. Its old content is kept beside
/// it until it has the new text.
fn in_place(path: &Path, staged: &mut Staged, old: &[u8], new: &[u8]) -> io::Result<()> {
    still_holds(path, old)?;
    let mut file = OpenOptions::new().write(true).open(path)?;
    staged.rewrite(old)?;
    let kept = keep(path, staged)?;
    sync_folder(folder_of(path))?;
    let written = file.write_all(new).and_then(|()| file.set_len(new.len() as u64)).and_then(|()| file.sync_all());
    match written {
        Ok(()) => fs::remove_file(&kept),
        Err(error) => {
            let name = kept.file_name().unwrap_or_default().to_string_lossy();
            Err(io::Error::new(error.kind(), format!("{error}; its old content is in {name}, in the same folder")))
        }
    }
}

/// Gives a staged file a name beside another one; an existing file stays.
fn keep(path: &Path, staged: &mut Staged) -> io::Result<PathBuf> {
    const MAX_NAMES: u32 = 100;
    for number in 0..MAX_NAMES {
        let ending = if number == 0 { ".cfg-old".to_owned() } else { format!(".cfg-old-{number}") };
        let kept = path.with_file_name(named(path, &ending));
        match staged.create(&kept) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => return created.map(|()| kept),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "too many `.cfg-old` files in its folder: remove them"))
}

fn still_holds(path: &Path, old: &[u8]) -> io::Result<()> {
    if fs::read(path)? == old { Ok(()) } else { Err(io::Error::other("it changed in the meantime")) }
}

/// `.rl.toml` with a suffix.
fn named(path: &Path, ending: &str) -> OsString {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(ending);
    name
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes the names in a folder durable. If folders can't be opened, the system does that itself.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}

/// Takes the lock of a file: exclusively, or shared with other readers.
pub(super) fn lock(path: &Path, is_exclusive: bool) -> io::Result<Option<Lock>> {
    let mut options = OpenOptions::new();
    options.read(true);
    if is_exclusive {
        options.write(true).create(true).truncate(false);
    }
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits().cast_signed(),
    );
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return refused(Refusal::NotRegular);
    }
    let locked = if is_exclusive { file.try_lock() } else { file.try_lock_shared() };
    match locked {
        Ok(()) => Ok(Some(Lock::held(file))),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// The permission bits of a file; none for one that does not exist.
#[cfg(unix)]
fn bits_of(path: &Path) -> u32 {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).map_or(0o666, |there| there.mode())
}

#[cfg(not(unix))]
fn bits_of(_: &Path) -> u32 {
    0o666
}

/// A file that has its content before it has its name.
struct Staged {
    file: File,
    /// Its temporary name, on systems without unnamed files.
    beside: Option<tempfile::TempPath>,
}

impl Staged {
    /// A file in the folder of `path`.
    fn new(path: &Path, mode: NewMode<'_>) -> io::Result<Self> {
        let folder = folder_of(path);
        let bits = match mode {
            NewMode::Plain | NewMode::ReadOnlyLike(_) => 0o666,
            NewMode::Program => 0o777,
            NewMode::Private => 0o600,
            NewMode::PlainLike(others) => others.iter().fold(0o666, |bits, other| bits & (0o600 | bits_of(other))),
        };
        let staged = match without_name(folder, bits) {
            Ok(file) => Self { file, beside: None },
            Err(_) => with_name(folder, bits)?,
        };
        if let NewMode::ReadOnlyLike(other) = mode {
            let mut permissions = fs::metadata(other).map_or_else(|_| staged.permissions(), |there| Ok(there.permissions()))?;
            permissions.set_readonly(true);
            staged.file.set_permissions(permissions)?;
        }
        Ok(staged)
    }

    fn permissions(&self) -> io::Result<Permissions> {
        Ok(self.file.metadata()?.permissions())
    }

    /// Writes its bytes to the disk.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.file.sync_all()
    }

    /// Replaces its bytes.
    fn rewrite(&mut self, bytes: &[u8]) -> io::Result<()> {
        io::Seek::rewind(&mut self.file)?;
        self.file.set_len(0)?;
        self.write(bytes)
    }

    /// Copies owner, group, mode and attributes of another file.
    fn take_after(&self, path: &Path, there: &fs::Metadata) -> io::Result<()> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt as _, fchown};
            let own = self.file.metadata()?;
            if (own.uid(), own.gid()) != (there.uid(), there.gid()) {
                fchown(&self.file, Some(there.uid()), Some(there.gid()))?;
            }
        }
        // After the owner, whose change clears bits.
        self.file.set_permissions(there.permissions())?;
        #[cfg(target_os = "linux")]
        copy_attributes(path, &self.file)?;
        #[cfg(not(target_os = "linux"))]
        let _ = path;
        Ok(())
    }

    /// Gives it a name that does not exist yet.
    fn create(&mut self, path: &Path) -> io::Result<()> {
        match self.beside.take() {
            None => link(&self.file, path),
            Some(beside) => beside.persist_noclobber(path).map_err(|failed| {
                self.beside = Some(failed.path);
                failed.error
            }),
        }
    }

    /// Gives it the name of an existing file.
    fn replace(mut self, path: &Path, seal: &dyn Fn() -> Option<String>) -> io::Result<()> {
        if let Some(beside) = self.beside.take() {
            return beside.persist(path).map_err(io::Error::from);
        }
        // No system call replaces a name by an unnamed file: for a moment it has a temporary name. If the process is killed just then, the next one
        // that changes the same file finds it, because it knows the name, and that no process holds its lock.
        self.file.try_lock().map_err(io::Error::from)?;
        let beside = match seal() {
            Some(seal) => path.with_file_name(named(path, &format!(".cfg-{}", &seal[..16]))),
            None => path.with_file_name(named(path, &format!(".cfg-{}", std::process::id()))),
        };
        if let Err(error) = link(&self.file, &beside) {
            if error.kind() != io::ErrorKind::AlreadyExists || !is_left(&beside) {
                return Err(error);
            }
            fs::remove_file(&beside)?;
            link(&self.file, &beside)?;
        }
        let renamed = fs::rename(&beside, path);
        if renamed.is_err() {
            let _ = fs::remove_file(&beside);
        }
        renamed
    }
}

/// Whether a file was left by a process that has ended.
fn is_left(beside: &Path) -> bool {
    let is_file = fs::symlink_metadata(beside).is_ok_and(|metadata| metadata.is_file());
    is_file && matches!(lock(beside, false), Ok(Some(_)))
}

/// A file with a temporary name until it gets its final one.
fn with_name(folder: &Path, bits: u32) -> io::Result<Staged> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".cfg-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(bits));
    #[cfg(not(unix))]
    let _ = bits;
    let (file, beside) = builder.tempfile_in(folder)?.into_parts();
    Ok(Staged { file, beside: Some(beside) })
}

#[cfg(target_os = "linux")]
fn without_name(folder: &Path, bits: u32) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};
    Ok(open(folder, OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, Mode::from_raw_mode(bits))?.into())
}

#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use std::os::fd::AsRawFd as _;

    use rustix::fs::{AtFlags, CWD, linkat};
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, own, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn without_name(_: &Path, _: u32) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The number of a file's names.
fn links(metadata: &fs::Metadata) -> u64 {
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::nlink(metadata);
    #[cfg(not(unix))]
    {
        let _ = metadata;
        1
    }
}

/// Copies the attributes of a file besides its mode, such as access lists. Attributes that this user may not set belong to the system.
#[cfg(target_os = "linux")]
fn copy_attributes(path: &Path, to: &File) -> io::Result<()> {
    use rustix::{
        fs::{XattrFlags, fsetxattr, lgetxattr, llistxattr},
        io::Errno,
    };
    let mut names = vec![0_u8; 1 << 16];
    let length = match llistxattr(path, &mut names[..]) {
        Ok(length) => length,
        Err(Errno::NOTSUP) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let mut value = vec![0_u8; 1 << 16];
    for name in names[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let size = lgetxattr(path, name, &mut value[..])?;
        match fsetxattr(to, name, &value[..size], XattrFlags::empty()) {
            Ok(()) => {}
            Err(Errno::PERM | Errno::NOTSUP) if name.starts_with(b"security.") || name.starts_with(b"trusted.") => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
