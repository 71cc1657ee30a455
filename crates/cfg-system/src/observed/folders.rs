//! The folders of what was asked for. As long as nothing is added to one, what was gone from it need not be asked again.

use std::{
    collections::HashMap,
    ffi::OsStr,
    num::NonZeroU32,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use foldhash::fast::RandomState;

use super::MTIME_RESOLUTION;
use crate::{Kind, System, around};

/// The number of a folder: those of names that were asked for, and those around missing ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FolderNumber(NonZeroU32);

/// Folders by numbers.
#[derive(Default)]
pub(super) struct Folders {
    numbers: HashMap<Arc<OsStr>, FolderNumber, RandomState>,
    known: Vec<Around>,
}

/// One of them.
struct Around {
    path: Arc<OsStr>,
    /// When it was last changed when all was gone that was found to be gone from it: as long as that is so, nothing was added to it.
    all_gone: Option<Duration>,
}

/// When a folder was last changed.
#[derive(Clone, Copy)]
enum Time {
    Unasked,
    NoFolder,
    Last(Duration),
}

/// One look at them: each is asked once when it was last changed.
pub(super) struct Look<'a> {
    system: &'a dyn System,
    folders: &'a mut Folders,
    times: Vec<Time>,
    /// The folder above the last path that was looked for, and the nearest one that is there.
    last: Option<(PathBuf, FolderNumber)>,
}

impl FolderNumber {
    const fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

impl Folders {
    /// The number of a folder, a new one if it has none.
    pub(super) fn number(&mut self, folder: &Path) -> FolderNumber {
        if let Some(number) = self.numbers.get(folder.as_os_str()) {
            return *number;
        }
        let path: Arc<OsStr> = folder.as_os_str().into();
        self.known.push(Around { path: Arc::clone(&path), all_gone: None });
        // There is no memory for more names than this counts.
        let number = FolderNumber(u32::try_from(self.known.len()).ok().and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MAX));
        self.numbers.insert(path, number);
        number
    }

    /// Begins a look.
    pub(super) fn look<'a>(&'a mut self, system: &'a dyn System) -> Look<'a> {
        Look { system, times: vec![Time::Unasked; self.known.len()], folders: self, last: None }
    }
}

impl Look<'_> {
    /// The path of a folder.
    pub(super) fn path(&self, folder: FolderNumber) -> &Path {
        Path::new(&self.folders.known[folder.index()].path)
    }

    fn time(&mut self, folder: FolderNumber) -> Option<Duration> {
        if matches!(self.times[folder.index()], Time::Unasked) {
            self.times[folder.index()] = changed(self.system, self.path(folder));
        }
        if let Time::Last(time) = self.times[folder.index()] { Some(time) } else { None }
    }

    /// Whether nothing was added to a folder since all was gone from it.
    pub(super) fn is_same(&mut self, folder: FolderNumber) -> bool {
        let time = self.time(folder);
        time.is_some() && self.folders.known[folder.index()].all_gone == time
    }

    /// The nearest folder around a path that is there.
    pub(super) fn around(&mut self, path: &Path) -> Option<FolderNumber> {
        let above = path.parent()?;
        if let Some((_, folder)) = self.last.as_ref().filter(|(last, _)| last.as_os_str() == above.as_os_str()) {
            return Some(*folder);
        }
        let folder = around(above).find_map(|folder| self.if_there(folder))?;
        self.last = Some((above.to_owned(), folder));
        Some(folder)
    }

    /// The number of a folder if it is there: one that is not gets none for that.
    fn if_there(&mut self, folder: &Path) -> Option<FolderNumber> {
        if let Some(number) = self.folders.numbers.get(folder.as_os_str()).copied() {
            return self.time(number).map(|_| number);
        }
        let time = changed(self.system, folder);
        matches!(time, Time::Last(_)).then(|| {
            self.times.push(time);
            self.folders.number(folder)
        })
    }

    /// Takes note that all is gone that was found to be gone. `now` is later than all looks.
    pub(super) fn all_is_gone(self, now: Duration) {
        for (around, time) in self.folders.known.iter_mut().zip(self.times) {
            if let Time::Last(time) = time
                && time + MTIME_RESOLUTION < now
            {
                around.all_gone = Some(time);
            }
        }
    }
}

/// When a folder was last changed.
fn changed(system: &dyn System, folder: &Path) -> Time {
    let status = system.status(folder).ok().filter(|status| status.kind == Kind::Folder);
    status.and_then(|status| status.modified).map_or(Time::NoFolder, Time::Last)
}
