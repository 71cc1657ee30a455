//! A change of several files: all of it, or nothing.

use std::{
    io,
    path::{Component, Path, PathBuf},
};

use super::{
    Error, Found, Left, Recovered, Store, failed,
    journal::{Journal, Planned},
};
use crate::fingerprint::Digest;

/// A change of a registry and of configs.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// What it does, in words: `bump a.toml to v3`.
    pub what: String,
    /// Texts to keep, each under its sha256.
    pub objects: Vec<Vec<u8>>,
    /// The registry's text.
    pub registry: Option<Replace>,
    /// The configs.
    pub files: Vec<Replace>,
}

/// A file, and what shall become of it.
#[derive(Clone, Debug)]
pub struct Replace {
    /// Its path. Where it is a link, the file that it leads to is replaced.
    pub path: PathBuf,
    /// What it holds when the change is planned; nothing where there is no file.
    pub old: Option<Vec<u8>>,
    /// What it shall hold.
    pub new: String,
}

/// What a planned file holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Old,
    New,
    /// Someone else's text.
    Other,
}

impl Store<'_> {
    /// Makes a change. The registry is replaced before the configs.
    ///
    /// # Errors
    ///
    /// Where a file holds something else than planned, may not be written, or the file system refuses a step. The error says how things
    /// are left.
    pub fn commit(&self, change: &Change) -> Result<(), Error> {
        let mode_of = change.files.first().map(|file| file.path.as_path());
        self.keep(&change.objects, mode_of)?;
        let mut journal = Journal { what: change.what.clone(), files: Vec::new() };
        let mut staged = Vec::new();
        for replace in change.registry.iter().chain(&change.files) {
            match self.stage(replace, &mut staged) {
                Ok(Some(planned)) => journal.files.push(planned),
                Ok(None) => {}
                Err(error) => {
                    self.unstage(&staged);
                    return Err(error);
                }
            }
        }
        if journal.files.is_empty() {
            return Ok(());
        }
        if let Err(error) = self.write_journal(&journal) {
            self.unstage(&staged);
            return Err(error);
        }
        match self.finish(&journal)? {
            Recovered::Finished { except, .. } => match except.into_iter().next() {
                Some(path) => Err(Error::Changed { path }),
                None => Ok(()),
            },
            Recovered::Undone { .. } | Recovered::Pending => Err(Error::Changed { path: self.registry().to_owned() }),
        }
    }

    /// Keeps texts under their sha256.
    fn keep(&self, objects: &[Vec<u8>], mode_of: Option<&Path>) -> Result<(), Error> {
        let mut has_new = false;
        for bytes in objects {
            let sha256 = Digest::of(bytes);
            if self.object(&sha256).is_some() {
                continue;
            }
            has_new = true;
            let path = self.object_path(&sha256);
            let beside = self.folder.join("new-object");
            let mode = mode_of.map(|from| (from, true));
            let written = self.write_beside(&beside, bytes, mode).and_then(|()| self.io.rename(&beside, &path));
            if let Err(error) = written {
                self.unstage(&[beside]);
                return Err(failed(format!("write {}", path.display()), error));
            }
        }
        if has_new {
            let folder = self.folder.join("objects");
            self.io.sync_folder(&folder).map_err(|error| failed(format!("write {}", folder.display()), error))?;
        }
        Ok(())
    }

    /// Writes a new file whole: bytes, mode, and all of it on the disk.
    fn write_beside(&self, beside: &Path, bytes: &[u8], mode: Option<(&Path, bool)>) -> io::Result<()> {
        // One that an interrupted process has left.
        match self.io.remove(beside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        self.io.create(beside)?;
        self.io.write(beside, bytes)?;
        if let Some((from, is_read_only)) = mode
            && self.io.look(from)?.is_some()
        {
            self.io.copy_mode(from, beside, is_read_only)?;
        }
        self.io.sync(beside)
    }

    /// Prepares the replacement of a file: its new text lies beside it. Nothing to do where the file holds it already.
    fn stage(&self, replace: &Replace, staged: &mut Vec<PathBuf>) -> Result<Option<Planned>, Error> {
        let fail = |error| failed(format!("write {}", replace.path.display()), error);
        let real = match self.io.look(&replace.path).map_err(fail)? {
            Some(Found::File { is_read_only: false }) => self.io.real(&replace.path).map_err(fail)?,
            Some(Found::File { is_read_only: true }) => return Err(Error::ReadOnly { path: replace.path.clone() }),
            Some(_) => return Err(Error::NoFile { path: replace.path.clone() }),
            None => {
                let folder = replace.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
                self.io.real(folder).map_err(fail)?.join(replace.path.file_name().unwrap_or_default())
            }
        };
        let holds = self.holds(&real).map_err(fail)?;
        if holds != replace.old.as_deref().map(Digest::of) {
            return Err(Error::Changed { path: replace.path.clone() });
        }
        if replace.old.as_deref() == Some(replace.new.as_bytes()) {
            return Ok(None);
        }
        let beside = beside(&real);
        staged.push(beside.clone());
        self.write_beside(&beside, replace.new.as_bytes(), Some((&real, false))).map_err(fail)?;
        let home = self.registry().parent().unwrap_or(Path::new(""));
        let path = real.strip_prefix(home).unwrap_or(&real);
        let Some(path) = path.to_str() else {
            return Err(fail(io::Error::new(io::ErrorKind::InvalidInput, "its path is no text")));
        };
        Ok(Some(Planned { path: path.to_owned(), old: holds, new: replace.new.clone() }))
    }

    fn unstage(&self, staged: &[PathBuf]) {
        for path in staged {
            // What can't be removed is replaced by the next command that needs the name.
            let _ = self.io.remove(path);
        }
    }

    /// The sha256 of what a file holds; nothing where there is no file.
    fn holds(&self, path: &Path) -> io::Result<Option<Digest>> {
        match self.io.read(path) {
            Ok(bytes) => Ok(Some(Digest::of(&bytes))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// From here on the change has begun.
    fn write_journal(&self, journal: &Journal) -> Result<(), Error> {
        let path = self.journal_path();
        let beside = self.folder.join("new-journal");
        let write = || {
            self.write_beside(&beside, &journal.to_bytes(), None)?;
            self.io.rename(&beside, &path)?;
            self.io.sync_folder(&self.folder)
        };
        write().map_err(|error| {
            self.unstage(&[beside.clone(), path.clone()]);
            failed(format!("write {}", path.display()), error)
        })
    }

    /// Finishes a change that has begun, or takes it back where it can't be: only while nothing of it is done.
    pub(super) fn finish(&self, journal: &Journal) -> Result<Recovered, Error> {
        let paths: Vec<PathBuf> = journal.files.iter().map(|file| self.path_of(file)).collect();
        let run = || {
            let mut states = Vec::new();
            for (file, path) in journal.files.iter().zip(&paths) {
                let holds = self.holds(path)?;
                let is_new = holds == Some(Digest::of(file.new.as_bytes()));
                states.push(if is_new {
                    State::New
                } else if holds == file.old {
                    State::Old
                } else {
                    State::Other
                });
            }
            if states.contains(&State::Other) && !states.contains(&State::New) {
                self.close(&paths)?;
                return Ok(Recovered::Undone { what: journal.what.clone() });
            }
            for ((file, path), state) in journal.files.iter().zip(&paths).zip(&states) {
                if *state == State::Old {
                    self.replace(path, &file.new)?;
                }
            }
            self.close(&paths)?;
            let others = paths.iter().zip(&states).filter(|(_, state)| **state == State::Other);
            Ok(Recovered::Finished { what: journal.what.clone(), except: others.map(|(path, _)| path.clone()).collect() })
        };
        let result: io::Result<Recovered> = run();
        result.map_err(|error| {
            // While nothing is done, it can still be left. A step that fails may have done its work all the same.
            let is_new = |(file, path): (&Planned, &PathBuf)| {
                self.holds(path).map_or(true, |holds| holds == Some(Digest::of(file.new.as_bytes())))
            };
            let has_begun = journal.files.iter().zip(&paths).any(is_new);
            let is_left = !has_begun && self.close(&paths).is_ok();
            let doing = format!("finish to {}", journal.what);
            Error::Io { doing, error, left: if is_left { Left::AsBefore } else { Left::Begun } }
        })
    }

    fn replace(&self, path: &Path, new: &str) -> io::Result<()> {
        let beside = beside(path);
        if self.holds(&beside)? != Some(Digest::of(new.as_bytes())) {
            self.write_beside(&beside, new.as_bytes(), Some((path, false)))?;
        }
        self.io.rename(&beside, path)?;
        self.io.sync_folder(path.parent().unwrap_or(Path::new("")))
    }

    /// Ends a change: what lies beside the files goes, and then the journal.
    fn close(&self, paths: &[PathBuf]) -> io::Result<()> {
        for path in paths {
            match self.io.remove(&beside(path)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        self.io.remove(&self.journal_path())?;
        self.io.sync_folder(&self.folder)
    }

    fn path_of(&self, file: &Planned) -> PathBuf {
        // Joining an absolute path replaces the folder.
        self.registry().parent().unwrap_or(Path::new("")).join(&file.path)
    }

    /// Whether a journal may be one that this program wrote here: it may have come with a repository of someone else's.
    pub(super) fn is_trusted(&self, journal: &Journal) -> bool {
        journal.files.iter().all(|file| {
            let path = Path::new(&file.path);
            let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
            let is_registry = self.path_of(file) == self.registry();
            let is_config = path.extension().is_some_and(|extension| extension == "toml");
            // A file elsewhere is only ever replaced, and whoever wrote the journal knew what it held.
            is_registry || is_config && (is_plain || file.old.is_some())
        })
    }
}

/// The name under which the new text of a file lies until it takes the file's.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.cfg-new"))
}
