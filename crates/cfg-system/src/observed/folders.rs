//! Folders in which something is gone that was asked for: as long as nothing is added to one, it need not be asked again what is gone from it.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    time::Duration,
};

use super::MTIME_RESOLUTION;
use crate::{Kind, System, around};

/// Folders in which something is gone that was asked for, by numbers.
#[derive(Default)]
pub(super) struct Folders {
    numbers: HashMap<PathBuf, u32>,
    known: Vec<Around>,
}

/// One of them.
struct Around {
    path: PathBuf,
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
    /// The folder above the last path that was looked for, and the number of the nearest one that is there.
    last: Option<(PathBuf, u32)>,
}

impl Folders {
    /// Begins a look.
    pub(super) fn look<'a>(&'a mut self, system: &'a dyn System) -> Look<'a> {
        Look { system, times: vec![Time::Unasked; self.known.len()], folders: self, last: None }
    }
}

impl Look<'_> {
    fn number(&mut self, folder: &Path) -> u32 {
        if let Some(number) = self.folders.numbers.get(folder) {
            return *number;
        }
        let number = self.folders.known.len() as u32;
        self.folders.numbers.insert(folder.to_owned(), number);
        self.folders.known.push(Around { path: folder.to_owned(), all_gone: None });
        self.times.push(Time::Unasked);
        number
    }

    fn time(&mut self, folder: u32) -> Option<Duration> {
        let time = &mut self.times[folder as usize];
        if matches!(time, Time::Unasked) {
            let status = self.system.status(&self.folders.known[folder as usize].path).ok();
            let changed = status.filter(|status| status.kind == Kind::Folder).and_then(|status| status.modified);
            *time = changed.map_or(Time::NoFolder, Time::Last);
        }
        if let Time::Last(time) = *time { Some(time) } else { None }
    }

    /// Whether nothing was added to a folder since all was gone from it.
    pub(super) fn is_same(&mut self, folder: u32) -> bool {
        let time = self.time(folder);
        time.is_some() && self.folders.known[folder as usize].all_gone == time
    }

    /// The nearest folder around a path that is there.
    pub(super) fn around(&mut self, path: &Path) -> Option<u32> {
        let above = path.parent()?;
        if let Some((_, folder)) = self.last.as_ref().filter(|(last, _)| last.as_os_str() == above.as_os_str()) {
            return Some(*folder);
        }
        let folder = around(above).find_map(|folder| {
            let number = self.number(folder);
            self.time(number).map(|_| number)
        })?;
        self.last = Some((above.to_owned(), folder));
        Some(folder)
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
