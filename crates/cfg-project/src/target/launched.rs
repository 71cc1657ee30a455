//! The prime-rl in which the commands around a config run: the folder into which scripts, pages and comments go, and the working folder.

use std::path::{Path, PathBuf};

use cfg_schema::{History, Target};
use cfg_system::{System, tidy};

use super::{Detection, checkout, own::is_package, scripts};
use crate::{folder::Folder, git};

/// The number of folders above a config from which a path in its comments may start.
const MAX_ABOVE: usize = 6;

/// The prime-rl into which the scripts or pages in `folder` go.
pub(super) fn detect(folder: &Folder) -> Option<Detection> {
    scripts::texts(folder).find_map(|(path, text)| {
        let from = [folder.path(), path.parent().unwrap_or(folder.path())];
        visited(folder, &text, &from)
    })
}

/// The prime-rl into which the commands in the comments of a config in `folder` go.
pub(crate) fn in_comments(folder: &Folder, text: &str) -> Option<Detection> {
    if !["cd ", "pushd ", "--project", "--directory"].iter().any(|word| text.contains(word)) {
        return None;
    }
    let comments = text.lines().filter_map(|line| line.trim_start().strip_prefix('#'));
    let commands: String = comments.flat_map(|comment| [comment.trim_start_matches('#'), "\n"]).collect();
    let from: Vec<&Path> = folder.ancestors_in_repository().take(MAX_ABOVE).map(Folder::path).collect();
    visited(folder, &commands, &from)
}

/// The prime-rl that the working folder is in.
pub(crate) fn around_working_folder(folder: &Folder) -> Option<Detection> {
    let system = folder.system();
    let mut within = Vec::new();
    let here = Some(system.host().folder()).filter(|here| here.is_absolute())?;
    for above in cfg_system::around(here) {
        within.push(above);
        if system.is_repository(above) {
            break;
        }
    }
    let is_it =
        |above: &&Path| system.is_file(&above.join("pyproject.toml")) && system.may_look(above) && is_package(system, above);
    checkout::copy(folder, system, within.into_iter().find(is_it)?)
}

/// The first prime-rl into which the commands of a text go. Their paths are relative to one of the folders `from`.
fn visited(folder: &Folder, text: &str, from: &[&Path]) -> Option<Detection> {
    let system = folder.system().with_untracked().unwrap_or(folder.system());
    let home = system.host().variable("HOME").and_then(|home| home.into_string().ok());
    let places = scripts::places(text, home.as_deref());
    let mut paths: Vec<PathBuf> = Vec::new();
    for path in places.iter().flat_map(|place| from.iter().map(move |from| tidy(&from.join(place)))) {
        if paths.len() >= MAX_PLACES {
            break;
        }
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let is_allowed = |path: &Path| system.may_look(path) && checkout::may_be_named(system, folder.path(), path);
    let may_be_it = |path: &&PathBuf| is_prime_rl(system, path) && is_allowed(path);
    let found = paths.iter().find(may_be_it)?;
    checkout::copy(folder, system, found)
}

/// The maximum number of folders of one text that are looked at.
const MAX_PLACES: usize = 64;

/// Whether a folder is a prime-rl, by its package or by the commit that is checked out in it.
fn is_prime_rl(system: &dyn System, path: &Path) -> bool {
    let is_known = || git::head(system, path).is_some_and(|sha| Target::parse(History::built_in(), &sha).is_ok());
    is_package(system, path) || system.is_repository(path) && is_known()
}
