//! The launches in the comments of all configs of a repository, and the files that these include. Many configs are read at once: whoever asks for a
//! launch waits for all of them.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use cfg_compose::{launches_in_comments, signs};
use cfg_system::{Role, System, below};

use super::{
    Left, MAX_AT_SIGNS_OF_A_TEXT, PlacedLaunch,
    placed::{LaunchSource, folders, place},
    there::There,
};
use crate::included::files_of;

/// Below this number of configs, starting a thread costs more than it saves.
const FEW: usize = 32;

/// The maximum number of threads.
const MAX_THREADS: usize = 8;

/// The configs that are read.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    pub(super) system: &'a dyn System,
    pub(super) root: &'a Path,
    pub(super) configs: &'a [PathBuf],
    /// The folders whose configs are checked next.
    pub(super) checked: &'a [PathBuf],
    pub(super) there: &'a There,
}

/// What the configs contain.
#[derive(Default)]
pub(super) struct InConfigs {
    /// The launches in their comments, in the order of the configs.
    pub(super) launches: Vec<PlacedLaunch>,
    /// The configs that others include by `toml_files`, each with the first of those.
    pub(super) included: BTreeMap<PathBuf, PathBuf>,
}

/// What a config contains.
struct OfConfig {
    /// The launches whose files are there.
    launches: Vec<PlacedLaunch>,
    /// The files that it includes.
    includes: Vec<PathBuf>,
    /// Its size in bytes.
    size: usize,
    /// The number of `@` in it.
    signs: usize,
    /// The number of folders in which its launches were looked up.
    folders: usize,
}

impl Reading<'_> {
    /// What the configs contain, as far as no more is read than is left.
    pub(super) fn launches(self, left: &mut Left) -> InConfigs {
        let mut found = InConfigs::default();
        for (config, read) in self.configs.iter().zip(self.read_all(*left)) {
            if left.is_used_up() {
                break;
            }
            if let Some(read) = read.into_inner().flatten() {
                left.take(read.size, read.signs);
                left.look_up(read.folders);
                found.launches.extend(read.launches);
                for file in read.includes {
                    found.included.entry(file).or_insert_with(|| config.clone());
                }
            }
        }
        found
    }

    /// Reads the configs on several threads, until no more may be read. They are begun in their order, so all are read that count.
    fn read_all(self, left: Left) -> Vec<OnceLock<Option<OfConfig>>> {
        let found: Vec<OnceLock<Option<OfConfig>>> = self.configs.iter().map(|_| OnceLock::new()).collect();
        let threads = if self.configs.len() < FEW { 1 } else { thread::available_parallelism().map_or(1, usize::from) };
        let next = AtomicUsize::new(0);
        let (bytes, signs, folders) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        let is_left = || {
            let taken = [(&bytes, left.bytes), (&signs, left.signs), (&folders, left.folders)];
            taken.iter().all(|(taken, left)| taken.load(Ordering::Relaxed) < *left)
        };
        let work = || {
            while is_left() {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(config) = self.configs.get(at) else { return };
                let read = self.read(config);
                if let Some(read) = &read {
                    bytes.fetch_add(read.size, Ordering::Relaxed);
                    signs.fetch_add(read.signs.min(MAX_AT_SIGNS_OF_A_TEXT), Ordering::Relaxed);
                    folders.fetch_add(read.folders, Ordering::Relaxed);
                }
                let _ = found[at].set(read);
            }
        };
        thread::scope(|scope| {
            for _ in 1..threads.min(MAX_THREADS) {
                if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            work();
        });
        found
    }

    fn read(self, config: &Path) -> Option<OfConfig> {
        let Self { system, root, checked, there, .. } = self;
        let is_next = checked.iter().any(|folder| below(config, folder).is_some());
        let read = if is_next { system.read_ahead(config, Role::Config) } else { system.read(config, Role::Config) };
        let text = String::from_utf8(read.ok()?).ok()?;
        let mut looked_up = 0;
        let placed = |launch| {
            let source = LaunchSource { root, path: config };
            let folders = folders(source, &launch);
            let (placed, folders) = place(system, there, source, true, launch, folders);
            looked_up += folders;
            placed.ok()
        };
        let launches = launches_in_comments(&text).into_iter().filter_map(placed).collect();
        let includes = files_of(config, &text);
        Some(OfConfig { launches, includes, size: text.len(), signs: signs(&text), folders: looked_up })
    }
}
