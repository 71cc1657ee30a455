//! From which prime-rl to which the flags of launch commands are migrated: as the configs that they name.

use std::{
    collections::HashMap,
    ffi::OsStr,
    path::{Path, PathBuf},
};

use cfg_compose::WrittenLaunch;
use cfg_schema::Target;
use cfg_system::{System, tidy};

use super::one::MigratedConfig;

/// The old and the new prime-rl.
type Way<'a> = (&'a Target, &'a Target);

/// The migrated configs, by their places and their names.
pub(super) struct StatedBy<'a> {
    system: &'a dyn System,
    ways: Vec<(PathBuf, Way<'a>)>,
    by_place: HashMap<PathBuf, usize>,
    by_name: HashMap<&'a OsStr, Vec<usize>>,
    /// The way of all configs, if it is the same.
    shared: Option<Way<'a>>,
}

impl<'a> StatedBy<'a> {
    pub(super) fn new(system: &'a dyn System, all: &'a [MigratedConfig]) -> Self {
        let place = |config: &MigratedConfig| tidy(&system.absolute(Path::new(&config.name)));
        let ways: Vec<(PathBuf, Way<'a>)> =
            all.iter().map(|config| (place(config), (&config.migration.from, &config.migration.to))).collect();
        let (mut by_place, mut by_name) = (HashMap::new(), HashMap::<_, Vec<usize>>::new());
        for (index, (config, (place, _))) in all.iter().zip(&ways).enumerate() {
            by_place.entry(place.clone()).or_insert(index);
            if let Some(name) = Path::new(&config.name).file_name() {
                by_name.entry(name).or_default().push(index);
            }
        }
        let first = ways.first().map(|(_, way)| *way);
        let shared = first.filter(|(from, _)| ways.iter().all(|(_, (other, _))| other.point == from.point));
        Self { system, ways, by_place, by_name, shared }
    }

    /// The way of the configs that a launch in a text names, or else that of all configs.
    pub(super) fn of(&self, launch: &WrittenLaunch, text: &Path) -> Option<Way<'a>> {
        let text = tidy(&self.system.absolute(text));
        launch.files().find_map(|file| self.named(Path::new(file), &text)).or(self.shared)
    }

    /// The way of the config that a command in a text names: the one at that path from a folder above the text, or else the most similar and nearest of
    /// those with its name.
    fn named(&self, file: &Path, text: &Path) -> Option<Way<'a>> {
        let placed = cfg_system::around(text).skip(1).find_map(|folder| self.by_place.get(&tidy(&folder.join(file))));
        let likeness = |index: usize| {
            let place = &self.ways[index].0;
            let last = |path: &Path, other: &Path| {
                path.components().rev().zip(other.components().rev()).take_while(|(one, other)| one == other).count()
            };
            (last(place, file), place.components().zip(text.components()).take_while(|(one, other)| one == other).count())
        };
        // The first of several that are equally near.
        let alike = || self.by_name.get(file.file_name()?)?.iter().copied().rev().max_by_key(|index| likeness(*index));
        placed.copied().or_else(alike).map(|index| self.ways[index].1)
    }
}
