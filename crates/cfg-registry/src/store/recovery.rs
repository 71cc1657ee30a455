//! Completes or reverts a change that a process has begun.

use std::{
    io,
    path::{Component, Path, PathBuf},
    time::Duration,
};

use cfg_system::{
    Kind, Role, System,
    git::{self, Repository, Unanswered, ask},
};

use super::{
    Error, Layout, Left, Writer, doing, failed,
    journal::{Journal, Planned},
};
use crate::fingerprint::Digest;

/// What happened to an interrupted change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recovered {
    /// It was completed.
    Finished {
        /// Its description.
        what: String,
        /// Files that a user has changed since then, and that were therefore not replaced.
        except: Vec<PathBuf>,
    },
    /// It was reverted, because a file to replace had been changed since then.
    Undone {
        /// Its description.
        what: String,
    },
}

/// An interrupted change, as a reader sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// Its description.
    pub what: String,
    /// Whether it will be reverted, because a file to replace has been changed since then.
    pub is_undone: bool,
}

/// The content of a file to replace.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Old,
    New,
    /// A text that a user wrote since then.
    Other,
}

/// The existing journal, if it can be used.
///
/// # Errors
///
/// If there is one that can't be used: then the state of the registry is unknown.
pub(super) fn read(system: &dyn System, at: &Layout) -> Result<Option<Journal>, Error> {
    let path = at.journal();
    let bytes = match system.read(&path, Role::Journal) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(doing("read", &path), error)),
    };
    if is_tracked(system, at) {
        return Err(Error::Journal { path });
    }
    let journal = Journal::from_bytes(&bytes, |change| system.seal(&sealed(at, change)));
    let journal = journal.filter(|journal| journal.files.iter().all(|file| may_be_planned(system, at, file)));
    journal.map(Some).ok_or(Error::Journal { path })
}

/// The data that the seal of a journal covers: the change, and the path of the registry.
pub(super) fn sealed(at: &Layout, change: &str) -> Vec<u8> {
    [at.registry.as_os_str().as_encoded_bytes(), b"\0", change.as_bytes()].concat()
}

/// Whether git tracks the journal. Then it came with the repository, or would become part of it.
fn is_tracked(system: &dyn System, at: &Layout) -> bool {
    const LIMIT: Duration = Duration::from_secs(10);
    const MAX_RECOVERED: u64 = 1 << 16;
    let words = ["ls-files", "-z", "--", "journal"];
    let program = ask(system.host(), &at.folder, Repository::AroundFolder, words).limited(LIMIT, MAX_RECOVERED);
    match git::answer(system, &at.folder, Repository::AroundFolder, &program) {
        Ok(answer) => !answer.is_empty(),
        // If git can't list the tracked files because they belong to another repository, the journal is treated as tracked.
        Err(none) => none == Unanswered::Foreign,
    }
}

/// Whether a change may replace a file: the registry, or a config in its repository; no component of the path is a link.
fn may_be_planned(system: &dyn System, at: &Layout, file: &Planned) -> bool {
    let path = Path::new(&file.path);
    let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    let whole = path_of(system, at, file);
    let is_ours = whole == at.registry || path.extension().is_some_and(|extension| extension == "toml");
    let is_there = |path: &Path| system.own_status(path).is_ok();
    let above = cfg_system::around(&whole).skip(1).find(|above| is_there(above));
    let is_real = above.is_some_and(|above| system.real(above).is_ok_and(|real| real == above));
    let may_be_file = system.own_status(&whole).map_or(true, |status| status.kind == Kind::File);
    is_plain && is_ours && is_real && may_be_file
}

/// The absolute path of a file to replace.
pub(super) fn path_of(system: &dyn System, at: &Layout, file: &Planned) -> PathBuf {
    system.root_of(at.registry.parent().unwrap_or(Path::new("/"))).join(&file.path)
}

/// The role in which a file of a change is read.
pub(super) fn role(at: &Layout, path: &Path) -> Role {
    if path == at.registry { Role::Registry } else { Role::Config }
}

/// The bytes of a file; `None` if there is no file.
pub(super) fn bytes(system: &dyn System, at: &Layout, path: &Path) -> io::Result<Option<Vec<u8>>> {
    match system.read(path, role(at, path)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn states(system: &dyn System, at: &Layout, journal: &Journal) -> io::Result<Vec<(PathBuf, State)>> {
    let state = |file: &Planned| {
        let path = path_of(system, at, file);
        let holds = bytes(system, at, &path)?.as_deref().map(Digest::of);
        let state = if holds == file.new.as_ref().map(|new| Digest::of(new.as_bytes())) {
            State::New
        } else if holds == file.old {
            State::Old
        } else {
            State::Other
        };
        Ok((path, state))
    };
    journal.files.iter().map(state).collect()
}

/// Whether a change is to be reverted. That is possible only if no file has been replaced yet.
fn is_undone(states: &[(PathBuf, State)]) -> bool {
    let has = |wanted| states.iter().any(|(_, state)| *state == wanted);
    has(State::Other) && !has(State::New)
}

/// A file that is still to be replaced, with its new content; `None` if it is to be removed.
type ToDo = (PathBuf, Option<String>);

/// The files that are still to be replaced or removed; `None` if the change is to be reverted.
pub(super) fn still_to_do(system: &dyn System, at: &Layout, journal: &Journal) -> io::Result<Option<Vec<ToDo>>> {
    let states = states(system, at, journal)?;
    if is_undone(&states) {
        return Ok(None);
    }
    let files = journal.files.iter().zip(states).filter(|(_, (_, state))| *state == State::Old);
    Ok(Some(files.map(|(file, (path, _))| (path, file.new.clone())).collect()))
}

impl Writer {
    /// Completes an interrupted change.
    pub(super) fn recover(&self) -> Result<Option<Recovered>, Error> {
        match read(&*self.system, &self.at)? {
            Some(journal) => self.finish(&journal).map(Some),
            None => Ok(None),
        }
    }

    /// Completes a change that has begun, or reverts it if it can't be completed and no file has been replaced yet.
    pub(super) fn finish(&self, journal: &Journal) -> Result<Recovered, Error> {
        let run = || {
            let states = states(&*self.system, &self.at, journal)?;
            if is_undone(&states) {
                self.close()?;
                return Ok(Recovered::Undone { what: journal.what.clone() });
            }
            for (file, (path, state)) in journal.files.iter().zip(&states) {
                if *state == State::Old {
                    self.write(path, file.new.as_deref())?;
                }
            }
            self.close()?;
            let others = states.into_iter().filter(|(_, state)| *state == State::Other);
            Ok(Recovered::Finished { what: journal.what.clone(), except: others.map(|(path, _)| path).collect() })
        };
        let result: io::Result<Recovered> = run();
        result.map_err(|error| {
            // As long as no file has been replaced, the change can be dropped. A failed step may nevertheless have had an effect.
            let has_begun = states(&*self.system, &self.at, journal)
                .map_or(true, |states| states.iter().any(|(_, state)| *state == State::New));
            let is_left = !has_begun && self.close().is_ok();
            let doing = format!("finish to {}", journal.what);
            Error::Io { doing, error, left: if is_left { Left::AsBefore } else { Left::Begun } }
        })
    }

    /// Ends a change by removing the journal.
    fn close(&self) -> io::Result<()> {
        self.system.remove(&self.at.journal())?;
        self.system.sync_folder(&self.at.folder)
    }
}
