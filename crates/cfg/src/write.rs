//! Replacing a file by a new text, or not at all.

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
};

/// Writes `new` to `path`, whose text was `old` when it was read. Whatever happens meanwhile, the file holds one of the two.
///
/// The new text is written to a file beside it, which then takes its name and its mode. A link stays a link: what it leads to is
/// replaced.
///
/// # Errors
/// If the file holds something else by now, may not be written, or the folder can't take a new file.
pub(crate) fn replace(path: &Path, old: &[u8], new: &[u8]) -> io::Result<()> {
    let real = fs::canonicalize(path)?;
    let permissions = fs::metadata(&real)?.permissions();
    if permissions.readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file may not be written"));
    }
    let folder = real.parent().ok_or(io::ErrorKind::NotFound)?;
    let mut beside = tempfile::NamedTempFile::new_in(folder)?;
    beside.write_all(new)?;
    beside.as_file().set_permissions(permissions)?;
    beside.as_file().sync_all()?;
    // As late as possible, so that what an editor saved in the meantime is not lost.
    if fs::read(&real)? != old {
        return Err(io::Error::other("it was changed in the meantime"));
    }
    beside.persist(&real)?;
    sync_folder(folder);
    Ok(())
}

/// Writes a file that need not be there yet.
pub(crate) fn create(path: &Path, new: &[u8]) -> io::Result<()> {
    match fs::read(path) {
        Ok(old) => replace(path, &old, new),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let mut builder = tempfile::Builder::new();
            // As any new file, not readable by its owner alone.
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
            let mut beside = builder.tempfile_in(folder)?;
            beside.write_all(new)?;
            beside.as_file().sync_all()?;
            beside.persist(path)?;
            sync_folder(folder);
            Ok(())
        }
        Err(error) => Err(error),
    }
}

/// Makes the new name of a file durable. Where folders can't be opened the system does so by itself.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = fs::File::open(folder) {
        drop(folder.sync_all());
    }
}
