//! Finds the registry of a config, and the path of the config in it.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
};

use cfg_system::{Refusal, Role, Scope, System, below};

use crate::{
    Registry,
    fingerprint::Digest,
    registry::is_registry,
    store::{FILE_NAME, FOLDER, OBJECTS},
};

/// The path of the registry for a path: the file itself if it is a registry, or else the nearest one above it in the repository. For a folder
/// that has none above it, the one in its subfolder `configs`.
///
/// # Errors
///
/// If a file that may be a registry can't be read.
pub fn find(system: &dyn System, path: &Path) -> io::Result<Option<PathBuf>> {
    let absolute = system.plain(path);
    if absolute.file_name().is_some_and(|name| name == FILE_NAME) {
        return Ok(Some(absolute.into_owned()));
    }
    let folder = if system.is_folder(&absolute) { &*absolute } else { absolute.parent().unwrap_or(&absolute) };
    for above in cfg_system::around(folder) {
        let candidate = above.join(FILE_NAME);
        if is_one(system, &candidate)? {
            return Ok(Some(candidate));
        }
        // Files above the repository belong to other projects.
        if system.is_repository(above) {
            break;
        }
    }
    let below = folder.join("configs").join(FILE_NAME);
    Ok(is_one(system, &below)?.then_some(below))
}

/// The folder of stored texts for the registry at a path. If the path is a link, its target decides.
pub fn objects(system: &dyn System, registry: &Path) -> PathBuf {
    let real = system.real(registry).unwrap_or_else(|_| registry.to_owned());
    real.with_file_name(FOLDER).join(OBJECTS)
}

/// The text with a sha256 in a folder of stored texts; `None` if there is none, or if the file contains another text.
pub fn stored(system: &dyn System, objects: &Path, sha256: &Digest) -> Option<Vec<u8>> {
    let read = system.read(&objects.join(sha256.to_string()), Role::KeptText);
    read.ok().filter(|bytes| Digest::of(bytes) == *sha256)
}

/// The indices of the configs without a file that are not marked as removed. `base` is the folder to which their paths are relative. Each of their
/// folders is listed once; only what is not in it is asked for by its path.
pub fn gone(system: &dyn System, base: &Path, registry: &Registry) -> BTreeSet<usize> {
    let mut folders: BTreeMap<&str, BTreeSet<OsString>> = BTreeMap::new();
    let mut gone = BTreeSet::new();
    for (index, config) in registry.configs.iter().enumerate().filter(|(_, config)| !config.is_removed) {
        let path = &*config.path.value;
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let listed = folders.entry(folder).or_insert_with(|| {
            let entries = system.list(&base.join(folder), Scope::Inside).unwrap_or_default();
            entries.into_iter().map(|entry| entry.name).collect()
        });
        if !listed.contains(OsStr::new(name)) && !system.is_there(&base.join(path)) {
            gone.insert(index);
        }
    }
    gone
}

/// Whether there is a registry of configs at a path. Other programs also have a file of that name.
///
/// # Errors
///
/// If it can't be read.
pub fn is_one(system: &dyn System, candidate: &Path) -> io::Result<bool> {
    match system.read(candidate, Role::Registry) {
        Ok(bytes) => {
            Ok(is_registry(&String::from_utf8_lossy(&bytes)) || system.is_folder(&candidate.with_file_name(FOLDER).join(OBJECTS)))
        }
        Err(error) if Refusal::of(&error) == Some(Refusal::NotRegular) => Ok(false),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound
                    | io::ErrorKind::NotADirectory
                    | io::ErrorKind::IsADirectory
                    | io::ErrorKind::PermissionDenied
            ) =>
        {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// The folder to which the paths of a registry are relative: its own folder, or the parent folder if all paths begin with the name of the registry's
/// folder and no file exists at these paths below that folder.
pub fn base(system: &dyn System, registry_path: &Path, registry: &Registry) -> PathBuf {
    let own = registry_path.parent().unwrap_or(Path::new("/"));
    let name = own.file_name().unwrap_or_default().to_string_lossy();
    let is_below_name = |path: &str| path.strip_prefix(&*name).is_some_and(|rest| rest.starts_with('/'));
    let mut paths = registry.configs.iter().map(|config| &*config.path.value);
    let is_above =
        !registry.configs.is_empty() && paths.clone().all(is_below_name) && !paths.any(|path| system.is_file(&own.join(path)));
    match own.parent().filter(|_| is_above) {
        Some(above) => above.to_owned(),
        None => own.to_owned(),
    }
}

/// The path of a file in a registry whose paths are relative to `base`; `None` if the file is not below `base`, or its path is not valid Unicode.
pub fn key(base: &Path, file: &Path) -> Option<String> {
    let below = below(file, base)?;
    let is_key = |text: &&str| cfg!(unix) && text.as_bytes().split(|byte| *byte == b'/').all(|part| !matches!(part, b"" | b"."));
    if let Some(key) = below.to_str().filter(is_key) {
        return Some(key.to_owned());
    }
    let parts: Option<Vec<&str>> = below.components().map(|part| part.as_os_str().to_str()).collect();
    parts.map(|parts| parts.join("/")).filter(|key| !key.is_empty())
}
