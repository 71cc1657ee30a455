//! Writes the changed files.

use std::{io, path::Path};

use super::{one::MigratedConfig, scripts::Script, settings::OldSettings};
use crate::context::Context;

/// A file with its old and its new text.
pub(super) struct ChangedFile {
    /// Its path.
    pub(super) name: String,
    /// Its bytes.
    pub(super) old: Vec<u8>,
    /// Its new bytes.
    pub(super) new: Vec<u8>,
}

impl ChangedFile {
    pub(super) fn of_config(way: &MigratedConfig) -> Self {
        Self { name: way.name.clone(), old: way.bytes.clone(), new: way.new_text().into_bytes() }
    }

    pub(super) fn of_script(script: &Script) -> Self {
        Self { name: script.name.clone(), old: script.old.clone().into_bytes(), new: script.new_text().into_bytes() }
    }

    /// `None` if the settings stay as they are.
    pub(super) fn of_settings(settings: &OldSettings) -> Option<Self> {
        let new = settings.new.as_ref().ok()?.clone().into_bytes();
        Some(Self { name: settings.name.clone(), old: settings.old.clone().into_bytes(), new })
    }

    pub(super) fn old_text(&self) -> String {
        String::from_utf8_lossy(&self.old).into_owned()
    }

    pub(super) fn new_text(&self) -> String {
        String::from_utf8_lossy(&self.new).into_owned()
    }
}

/// Writes all files or none, because a config of which only some files are migrated is valid for neither prime-rl. Returns whether they were written.
pub(super) fn write_all(cx: &Context, files: &[ChangedFile]) -> bool {
    let refused = |name: &str, error: io::Error| cx.complain(&format!("{name} can't be written: {error}"));
    for file in files {
        if let Err(error) = cx.writer.may_write(Path::new(&file.name)) {
            refused(&file.name, error);
            return false;
        }
    }
    for (at, file) in files.iter().enumerate() {
        let Err(error) = cx.writer.replace(Path::new(&file.name), &file.old, &file.new) else { continue };
        refused(&file.name, error);
        for written in &files[..at] {
            let again = match cx.writer.replace(Path::new(&written.name), &written.new, &written.old) {
                Ok(()) => "was not changed, because all files of a config change together".to_owned(),
                Err(error) => format!("was rewritten, and can't be restored: {error}"),
            };
            cx.complain(&format!("{} {again}", written.name));
        }
        return false;
    }
    true
}
