//! Files that a command was asked to write.

use std::{io, path::Path};

use cfg_system::{NewMode, Role, WritableSystem};

/// Gives a file these bytes, whether it is there or not. A new one gets this mode.
///
/// # Errors
///
/// Where it can't be written, or is changed meanwhile.
pub(crate) fn put(writer: &dyn WritableSystem, path: &Path, (role, mode): (Role, NewMode<'_>), new: &[u8]) -> io::Result<()> {
    match writer.read(path, role) {
        Ok(old) => writer.replace(path, &old, new),
        Err(error) if error.kind() == io::ErrorKind::NotFound => writer.create(path, new, mode),
        Err(error) => Err(error),
    }
}
