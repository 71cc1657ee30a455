//! A change of several files, made completely or not at all.

use std::{
    io,
    path::{Path, PathBuf},
};

use cfg_system::{Kind, NewMode, Role};

use super::{
    Error, Recovered, Writer, doing, failed,
    journal::{Journal, Planned},
    recovery::{bytes, sealed},
};
use crate::{Registry, fingerprint::Digest, registry::fault};

/// A change of a registry and of configs.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// A description: `bump a.toml to v3`.
    pub what: String,
    /// Texts to store, each named by its sha256.
    pub objects: Vec<Kept>,
    /// The registry's text.
    pub registry: Option<Replace>,
    /// The configs.
    pub files: Vec<Replace>,
}

/// A text to store.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// A config whose access rights the file gets, so that a user who can't read the config can't read the stored text either. Without one, the
    /// access rights of the registry are used.
    pub like: Option<PathBuf>,
}

/// A file, and its new content.
#[derive(Clone, Debug)]
pub struct Replace {
    /// Its path. If it is a link, its target is replaced, which must be inside the repository.
    pub path: PathBuf,
    /// The content when the change was planned; `None` if there was no file.
    pub old: Option<Vec<u8>>,
    /// The new content; `None` if the file is removed.
    pub new: Option<String>,
}

/// Refuses a new registry that has an error for which the next command would refuse it.
fn is_sound(registry: &Replace) -> Result<(), Error> {
    let (_, found) = Registry::read(registry.new.as_deref().unwrap_or_default());
    fault(&found).map_or(Ok(()), |fault| Err(Error::Unsound { why: fault.message.clone() }))
}

impl Writer {
    /// Makes a change. The registry is replaced before the configs.
    ///
    /// # Errors
    ///
    /// If the content of a file is not the planned one, if a file can't be written, or if the file system fails. The error states in which state
    /// the files are left.
    pub fn commit(&self, change: &Change) -> Result<(), Error> {
        change.registry.iter().try_for_each(is_sound)?;
        let files: Vec<&Replace> = change.registry.iter().chain(&change.files).collect();
        let planned = files.into_iter().map(|replace| self.plan(replace)).collect::<Result<Vec<_>, Error>>()?;
        self.keep(&change.objects)?;
        let journal = Journal { what: change.what.clone(), files: planned.into_iter().flatten().collect() };
        if journal.files.is_empty() {
            return Ok(());
        }
        self.write_journal(&journal)?;
        match self.finish(&journal)? {
            Recovered::Finished { except, .. } => match except.into_iter().next() {
                Some(path) => Err(Error::Changed { path }),
                None => Ok(()),
            },
            Recovered::Undone { .. } => Err(Error::Changed { path: self.at.registry.clone() }),
        }
    }

    /// Stores texts in files named by their sha256.
    fn keep(&self, objects: &[Kept]) -> Result<(), Error> {
        for Kept { bytes, like } in objects {
            let like = like.as_deref().filter(|path| self.system.own_status(path).is_ok()).unwrap_or(&self.at.registry);
            let sha256 = Digest::of(bytes);
            let path = self.at.objects().join(sha256.to_string());
            let is_kept = |there: &[u8]| Digest::of(there) == sha256;
            if self.system.read(&path, Role::KeptText).is_ok_and(|there| is_kept(&there)) {
                continue;
            }
            let create = || self.system.create(&path, bytes, NewMode::ReadOnlyLike(like));
            let written = match create() {
                // The existing file is damaged.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => self.system.remove(&path).and_then(|()| create()),
                written => written,
            };
            written.map_err(|error| failed(doing("write", &path), error))?;
        }
        Ok(())
    }

    /// The planned replacement of a file; `None` if it already has the new content.
    fn plan(&self, replace: &Replace) -> Result<Option<Planned>, Error> {
        let fail = |error| failed(doing("write", &replace.path), error);
        let real = match self.system.status(&replace.path) {
            Ok(status) if status.kind != Kind::File => return Err(Error::NoFile { path: replace.path.clone() }),
            Ok(status) if status.is_read_only => return Err(Error::ReadOnly { path: replace.path.clone() }),
            Ok(_) => self.system.real(&replace.path).map_err(fail)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let folder = replace.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
                self.system.real(folder).map_err(fail)?.join(replace.path.file_name().unwrap_or_default())
            }
            Err(error) => return Err(fail(error)),
        };
        let root = self.system.root_of(self.at.registry.parent().unwrap_or(Path::new("/")));
        let Ok(below) = real.strip_prefix(&root) else { return Err(Error::Outside { path: replace.path.clone() }) };
        let holds = bytes(&*self.system, &self.at, &real).map_err(fail)?;
        if holds != replace.old {
            return Err(Error::Changed { path: replace.path.clone() });
        }
        if replace.old.as_deref() == replace.new.as_deref().map(str::as_bytes) {
            return Ok(None);
        }
        let Some(path) = below.to_str() else {
            return Err(fail(io::Error::new(io::ErrorKind::InvalidInput, "its path is not UTF-8")));
        };
        Ok(Some(Planned { path: path.to_owned(), old: holds.as_deref().map(Digest::of), new: replace.new.clone() }))
    }

    /// Writes the journal. After that, the change has begun.
    fn write_journal(&self, journal: &Journal) -> Result<(), Error> {
        let path = self.at.journal();
        let bytes = journal.to_bytes(|change| self.system.new_seal(&sealed(&self.at, change)));
        self.system.create(&path, &bytes, NewMode::Private).map_err(|error| {
            // The journal may have been written before the step failed.
            let _ = self.system.remove(&path);
            failed(doing("write", &path), error)
        })
    }

    /// Writes the new content of a file, or removes it.
    pub(super) fn write(&self, path: &Path, new: Option<&str>) -> io::Result<()> {
        match (bytes(&*self.system, &self.at, path)?, new) {
            (Some(old), Some(new)) => self.system.replace(path, &old, new.as_bytes()),
            (None, Some(new)) => self.system.create(path, new.as_bytes(), NewMode::Plain),
            (Some(_), None) => {
                self.system.remove(path)?;
                self.system.sync_folder(path.parent().unwrap_or(Path::new("/")))
            }
            (None, None) => Ok(()),
        }
    }
}
