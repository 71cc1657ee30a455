//! The launch commands that start a config, from its own comments and from the scripts and documentation pages of its project.

use std::path::{Component, Path, PathBuf};

use cfg_compose::WrittenLaunch;
use cfg_meter::{Spent, charge};
use cfg_system::{Kind, Scope, System, tidy};

use crate::{
    Projects,
    folder::Folder,
    scripts::{FOLDERS, may_have_launches},
};

/// The maximum number of files that are read of a folder, and of each of its subfolders.
const MAX_FILES: usize = 64;

/// The maximum number of configs of a folder that are read.
const MAX_SIBLINGS: usize = 8;

/// The maximum number of launches of a config that are kept.
const MAX_LAUNCHES: usize = 512;

/// What looking up a launch in a folder costs, in units of the meter.
const OF_A_FOLDER: u64 = 50;

impl Projects {
    /// The launches that name a config, those in its own comments first; their files are looked up on `system`.
    pub fn launches_of(&self, system: &dyn System, file: &Path, own: &[WrittenLaunch]) -> Vec<WrittenLaunch> {
        let folder = self.folder_of(file);
        let Some(name) = file.file_name() else { return Vec::new() };
        let path = folder.path().join(name);
        let told = folder.ancestors_in_repository().flat_map(Folder::launches);
        let mut found: Vec<WrittenLaunch> = Vec::new();
        for launch in own.iter().chain(told) {
            if found.len() >= MAX_LAUNCHES {
                return found;
            }
            let Ok(placed) = placed(system, launch, &path) else { break };
            found.extend(placed.filter(|launch| !found.iter().any(|known| known.is_like(launch))));
        }
        for placed in self.launch_index(&path).of(&path).take(MAX_LAUNCHES) {
            let launch = placed.named(|file| system.shown(file));
            if !found.iter().any(|known| known.kind == launch.kind && known.words == launch.words) {
                found.push(launch);
            }
        }
        found
    }

    /// The configs beside one; `None` if there are more than can be read.
    pub fn all_siblings(&self, system: &dyn System, file: &Path) -> Option<Vec<PathBuf>> {
        let siblings = self.siblings(system, file);
        (siblings.len() < MAX_SIBLINGS).then_some(siblings)
    }

    /// The configs beside one, those with the most similar names first.
    pub fn siblings(&self, system: &dyn System, file: &Path) -> Vec<PathBuf> {
        let Some(name) = file.file_name().and_then(|name| name.to_str()) else { return Vec::new() };
        let folder = self.folder_of(file);
        let entries = system.list(folder.path(), Scope::Inside).unwrap_or_default().into_iter();
        let files = entries.filter(|entry| entry.kind == Kind::File).filter_map(|entry| entry.name.into_string().ok());
        let mut names: Vec<String> = files.filter(|other| other != name && crate::may_be_config(Path::new(other))).collect();
        let likeness = |other: &str| {
            let words = |name: &str| name.trim_end_matches(".toml").split(['-', '_', '.']).map(str::to_owned).collect::<Vec<_>>();
            let own = words(name);
            words(other).iter().filter(|word| own.contains(word)).count()
        };
        names.sort_by_cached_key(|other| (std::cmp::Reverse(likeness(other)), other.len(), other.clone()));
        names.into_iter().take(MAX_SIBLINGS).map(|other| file.with_file_name(other)).collect()
    }
}

impl Folder {
    /// The launches in the scripts and pages of the folder, and of its subfolders that contain scripts.
    fn launches(&self) -> &[WrittenLaunch] {
        self.launches.get_or_init(|| {
            if !self.is_in_project() {
                return Box::default();
            }
            let own = self.files_of_project().iter().map(PathBuf::from);
            let below = FOLDERS.iter().filter(|name| self.may_have_folder(name)).flat_map(|name| {
                let entries = self.system().list(&self.path().join(name), Scope::Inside).unwrap_or_default();
                entries.into_iter().map(move |entry| Path::new(name).join(entry.name))
            });
            let mut paths: Vec<PathBuf> = own.chain(below).filter(|path| may_have_launches(path)).collect();
            paths.sort_unstable();
            let scripts = &self.shared().scripts;
            let read = paths.iter().take(MAX_FILES).filter_map(|path| scripts.read(self.system(), &self.path().join(path)));
            read.flat_map(|script| script.launches.clone()).collect()
        })
    }
}

/// A launch with resolved paths, relative to the folder in which all its files exist; `None` if the config is not one of them.
///
/// # Errors
/// Looking it up takes too much.
fn placed(system: &dyn System, launch: &WrittenLaunch, config: &Path) -> Result<Option<WrittenLaunch>, Spent> {
    charge(OF_A_FOLDER)?;
    let name = config.file_name();
    if !launch.files().any(|file| Path::new(file).file_name() == name && may_be(config, file)) {
        return Ok(None);
    }
    let above = cfg_system::around(config).skip(1);
    let below =
        |folder: &Path| launch.folders.iter().map(|below| folder.join(below)).chain([folder.to_owned()]).collect::<Vec<_>>();
    for folder in above.flat_map(below) {
        charge(OF_A_FOLDER)?;
        let mut files = launch.files().map(|file| tidy(&folder.join(file)));
        let is_named = launch.files().any(|file| tidy(&folder.join(file)) == config);
        if is_named && files.all(|file| system.is_file_inside(&file)) {
            return Ok(Some(launch.with_files(|file| system.shown(&tidy(&folder.join(file))))));
        }
    }
    Ok(None)
}

/// Whether a path as a launch has it can be that of a config, whatever folder it starts from.
fn may_be(config: &Path, written: &str) -> bool {
    let written = tidy(Path::new(written));
    let below: PathBuf = written.components().skip_while(|part| *part == Component::ParentDir).collect();
    config.ends_with(below)
}
