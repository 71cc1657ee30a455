//! Writes files that the user asked for.

use std::{io, path::Path};

use cfg_system::{NewMode, Role, WritableSystem};

/// Writes a file, which may exist; a new one gets this mode.
///
/// # Errors
///
/// The file can't be written, or another process changes it at the same time.
pub(crate) fn put(writer: &dyn WritableSystem, path: &Path, role: Role, mode: NewMode<'_>, new: &[u8]) -> io::Result<()> {
    match writer.read(path, role) {
        Ok(old) => writer.replace(path, &old, new),
        Err(error) if error.kind() == io::ErrorKind::NotFound => writer.create(path, new, mode),
        Err(error) => Err(error),
    }
}
