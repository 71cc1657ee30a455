//! Where the files of a launch are.

use std::path::{Path, PathBuf};

use cfg_compose::WrittenLaunch;
use cfg_system::{System, tidy};

use super::{MAX_FOLDERS, MAX_FOLDERS_ABOVE, PlacedLaunch, missing::Unplaced, there::There};
use crate::scripts::Script;

/// A text with launches, and the folder below which their files are.
#[derive(Clone, Copy, Debug)]
pub struct LaunchSource<'a> {
    /// The folder.
    pub root: &'a Path,
    /// The path of the text.
    pub path: &'a Path,
}

/// The folders in which the files of a launch may be: the folder of its script or one above it, and those below it to which the launch changes.
pub(super) fn folders(source: LaunchSource<'_>, launch: &WrittenLaunch) -> Vec<PathBuf> {
    let is_below = |above: &&Path| above.starts_with(source.root);
    let above = cfg_system::around(source.path).skip(1).take_while(is_below).take(MAX_FOLDERS_ABOVE);
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in above {
        let below = launch.folders.iter().map(|below| folder.join(below)).chain([folder.to_owned()]);
        for folder in below {
            if folders.len() >= MAX_FOLDERS {
                return folders;
            }
            // Compared as texts, which is faster than part by part.
            if !folders.iter().any(|known| known.as_os_str() == folder.as_os_str()) {
                folders.push(folder);
            }
        }
    }
    folders
}

/// A launch of a script, placed, and the number of folders in which its files were looked up.
pub(super) fn place_of_script(
    system: &dyn System,
    there: &There,
    source: LaunchSource<'_>,
    script: &Script,
    launch: &WrittenLaunch,
) -> (Result<PlacedLaunch, Box<Unplaced>>, usize) {
    let mut launch = launch.clone();
    launch.folders.extend(script.folders.iter().cloned());
    let folders = folders(source, &launch);
    place(system, there, source, false, launch, folders)
}

/// A launch with the paths of its files in the first of these folders that has them all, or what is known of it if none has; and the number of folders
/// in which they were looked up.
pub(super) fn place(
    system: &dyn System,
    there: &There,
    source: LaunchSource<'_>,
    is_comment: bool,
    launch: WrittenLaunch,
    folders: Vec<PathBuf>,
) -> (Result<PlacedLaunch, Box<Unplaced>>, usize) {
    let mut looked_up = 0;
    let in_folder = |folder: &PathBuf| {
        looked_up += 1;
        let files: Vec<PathBuf> = launch.files().map(|file| tidy(&folder.join(file))).collect();
        files.iter().all(|file| file.starts_with(source.root) && system.is_file_inside(file)).then_some(files)
    };
    let placed = folders.iter().filter(|folder| there.has(system, folder)).find_map(in_folder);
    let script = source.path.to_owned();
    let placed = match placed {
        Some(files) => Ok(PlacedLaunch { launch, script, is_comment, files }),
        None => Err(Box::new(Unplaced { script, launch, folders })),
    };
    (placed, looked_up)
}
