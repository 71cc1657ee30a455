//! What was asked, and what the answer was.

use std::{collections::BTreeMap, ffi::OsStr, path::Path, time::Duration};

use super::folders::{FolderNumber, Folders};
use crate::{Kind, Role, Scope, Status, folder_and_name};

/// What was asked. About each of thousands of files there are twenty questions, most of them about a name that is not there: a folder is kept once, and little
/// of what is missing.
#[derive(Default)]
pub(super) struct Seen {
    /// The state when each question was first asked: later answers may come from a change that the first one does not include.
    pub(super) names: BTreeMap<Key, Stamp>,
    /// The folders of these names.
    pub(super) folders: Folders,
}

/// A question about a name in a folder.
pub(super) type Key = (FolderNumber, Box<OsStr>, Question);

impl Seen {
    /// The key of a question about a path, whose folder is numbered if it is new.
    pub(super) fn key(&mut self, path: &Path, question: Question) -> Key {
        let (folder, name) = folder_and_name(path).unwrap_or((Path::new(""), path.as_os_str()));
        (self.folders.number(folder), name.into(), question)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Question {
    Bytes,
    Status,
    OwnStatus,
    Entries,
    Real,
}

/// The state of a path.
pub(super) struct Stamp {
    /// What was found; `None` if nothing was.
    pub(super) found: Option<Box<Found>>,
    pub(super) asked_as: AskedAs,
    /// If nothing has this name, not even a dangling link: the nearest existing folder around it.
    pub(super) gone_from: Option<FolderNumber>,
}

/// What was found at a path.
#[derive(PartialEq, Eq)]
pub(super) struct Found {
    pub(super) status: Option<Brief>,
    /// A number for the content that was asked for; `None` if there was none.
    pub(super) content: Option<u64>,
    /// Whether the status would show a later change.
    pub(super) is_shown_by_status: bool,
}

impl Stamp {
    /// The state of a path at which nothing is.
    pub(super) const fn gone(asked_as: AskedAs) -> Self {
        Self { found: None, asked_as, gone_from: None }
    }

    pub(super) fn new(found: Found, asked_as: AskedAs) -> Self {
        let is_there = found.status.is_some() || found.content.is_some();
        Self { found: is_there.then(|| Box::new(found)), asked_as, gone_from: None }
    }

    pub(super) fn status(&self) -> Option<Brief> {
        self.found.as_ref().and_then(|found| found.status)
    }

    pub(super) fn content(&self) -> Option<u64> {
        self.found.as_ref().and_then(|found| found.content)
    }

    /// Whether the status would show a later change; if nothing was there, what is there now has one.
    pub(super) fn is_shown_by_status(&self) -> bool {
        self.found.as_ref().is_none_or(|found| found.is_shown_by_status)
    }
}

/// The parameters for reading the content again.
#[derive(Clone, Copy)]
pub(super) enum AskedAs {
    Bytes(Role),
    Entries(Scope),
    Real,
    Nothing,
}

/// The part of a status that shows a change. For a folder, only that it is one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Brief {
    kind: Kind,
    size: u64,
    pub(super) modified: Option<Duration>,
}

impl Brief {
    /// The relevant part for a question: for a folder that is only checked for existence, only that it is one.
    pub(super) fn of(status: &Status, question: Question) -> Self {
        let is_whole = matches!(question, Question::Bytes | Question::Entries) || status.kind == Kind::File;
        if is_whole {
            Self { kind: status.kind, size: status.size, modified: status.modified }
        } else {
            Self { kind: status.kind, size: 0, modified: None }
        }
    }
}
