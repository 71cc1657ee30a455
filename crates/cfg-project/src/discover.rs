//! Finds the files to check from the paths of a command line.

use std::{
    collections::HashSet,
    io,
    path::{Path, PathBuf, is_separator},
};

use cfg_system::{FoundLinks, Kind, SearchOptions, System, Unsearched, file_name};

/// A file to check.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundFile {
    /// Its path, with the same beginning as on the command line.
    pub path: PathBuf,
    /// Whether the user named it, instead of a search in a folder. A named file is always checked.
    pub explicit: bool,
}

/// The names of TOML files that are never configs: the settings themselves, and those of Python projects.
const NEVER_CONFIGS: [&str; 2] = ["cfg.toml", "pyproject.toml"];

/// Finds the files to check: named files, and all `*.toml` files in named folders. They are sorted by path, without duplicates.
///
/// Links to folders are not followed below the named ones; a link to a file is a file. A file that can't be read is an error in the result, and does
/// not stop the search.
pub fn discover(system: &dyn System, paths: &[PathBuf], options: SearchOptions) -> Vec<Result<FoundFile, Unsearched>> {
    discover_any(system, paths, options, &may_be_config)
}

/// As [`discover`], with the files of folders that are `wanted` instead of `*.toml`.
pub fn discover_any(
    system: &dyn System,
    paths: &[PathBuf],
    options: SearchOptions,
    wanted: &(dyn Fn(&Path) -> bool + Sync),
) -> Vec<Result<FoundFile, Unsearched>> {
    let mut found = Vec::new();
    let mut folders = Vec::new();
    for path in paths {
        match system.status(path) {
            Ok(status) if status.kind == Kind::Folder => folders.push(path.as_path()),
            Ok(_) => found.push(Ok(FoundFile { path: path.clone(), explicit: true })),
            Err(error) => found.push(Err(Unsearched { path: path.clone(), error })),
        }
    }
    let mut links = HashSet::new();
    if !folders.is_empty() {
        let noted = FoundLinks::default();
        let options = SearchOptions { links: Some(&noted), ..options };
        found.extend(system.search(&folders, options, wanted).into_iter().map(taken));
        links.extend(noted.into_paths().iter().map(|path| without_here(path)));
    }
    let mut found = once_each(found, system);
    bound_links(&mut found, &links, system);
    found
}

/// The maximum size of all files together to which links lead that a search finds, beyond a part of each that does not count, in bytes.
const MAX_OF_LINKS: u64 = 2 << 20;
const SMALL: u64 = 4 << 10;

/// Leaves out links after those to the first megabytes: each is checked like a file of that size, and a repository can have thousands of links to one
/// file.
fn bound_links(found: &mut [Result<FoundFile, Unsearched>], links: &HashSet<PathBuf>, system: &dyn System) {
    if links.is_empty() {
        return;
    }
    let mut left = MAX_OF_LINKS;
    for entry in found {
        let Ok(FoundFile { path, explicit: false }) = entry else { continue };
        if !links.contains(path) {
            continue;
        }
        let size = system.status(path).map_or(0, |status| status.size.saturating_sub(SMALL));
        let Some(rest) = left.checked_sub(size) else {
            let error = io::Error::other("links lead to more than 2 MiB of files: name it to have it read");
            *entry = Err(Unsearched { path: std::mem::take(path), error });
            continue;
        };
        left = rest;
    }
}

/// Whether a file in a folder can be a config, by its name.
pub fn may_be_config(path: &Path) -> bool {
    let is_config =
        |name: &[u8]| name.len() > 5 && name.ends_with(b".toml") && NEVER_CONFIGS.iter().all(|never| name != never.as_bytes());
    file_name(path).is_some_and(|name| is_config(name.as_encoded_bytes()))
}

/// Whether a file is YAML, by its name: it is checked only if it is in a declared dialect.
pub fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
}

/// A found file, with the path as it was found.
fn taken(found: Result<PathBuf, Unsearched>) -> Result<FoundFile, Unsearched> {
    found.map(|path| FoundFile { path: without_here(&path), explicit: false })
}

/// A path without the `.` at its beginning.
fn without_here(path: &Path) -> PathBuf {
    path.strip_prefix(".").unwrap_or(path).to_owned()
}

/// Sorts by path and removes duplicates; of those, a named one is kept.
fn once_each(found: Vec<Result<FoundFile, Unsearched>>, system: &dyn System) -> Vec<Result<FoundFile, Unsearched>> {
    let is_named = |entry: &Result<FoundFile, Unsearched>| matches!(entry, Ok(FoundFile { explicit: true, .. }));
    let place = |entry: &Result<FoundFile, Unsearched>| match entry {
        Ok(FoundFile { path, .. }) | Err(Unsearched { path, .. }) => order(system.absolute(path)),
    };
    let mut by_place: Vec<(Vec<u8>, Result<FoundFile, Unsearched>)> =
        found.into_iter().map(|entry| (place(&entry), entry)).collect();
    by_place.sort_by(|(one, _), (other, _)| one.cmp(other));
    by_place.dedup_by(|(place, entry), (kept_place, kept)| {
        let is_same = place == kept_place;
        if is_same && is_named(entry) && matches!(kept, Ok(found) if !found.explicit) {
            std::mem::swap(kept, entry);
        }
        is_same
    });
    by_place.into_iter().map(|(_, entry)| entry).collect()
}

/// A sort key that orders absolute paths by their parts: the contents of a folder come before names that begin with the folder's name, and `..`
/// before all names. The separator is zero, which no name contains.
fn order(path: PathBuf) -> Vec<u8> {
    let mut bytes = path.into_os_string().into_encoded_bytes();
    // Without a condition for the assignment, so that many bytes are replaced at once.
    for byte in &mut bytes {
        *byte = if is_separator(char::from(*byte)) { 0 } else { *byte };
    }
    if !bytes.windows(2).any(|pair| pair == b"..") {
        return bytes;
    }
    for at in 1..bytes.len().saturating_sub(1) {
        if bytes[at - 1] == 0 && bytes[at..].starts_with(b"..") && matches!(bytes.get(at + 2), None | Some(0)) {
            bytes[at..at + 2].fill(0);
        }
    }
    bytes
}
