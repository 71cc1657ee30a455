//! Where the registry of a config lies, and how it calls the config.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use cfg_project::{Environment, Files, is_repository};
use cfg_registry::{
    Registry,
    registry::is_registry,
    store::{FILE_NAME, FOLDER},
};

/// The registry that is meant by a path: the file itself, or the one that is nearest above it within its repository. Of a folder without one
/// above it, that in its folder `configs` is meant.
pub(super) fn find(path: &Path) -> io::Result<Option<PathBuf>> {
    let absolute = absolute(path)?;
    if absolute.file_name().is_some_and(|name| name == FILE_NAME) {
        return Ok(Some(absolute));
    }
    let folder = if absolute.is_dir() { absolute.as_path() } else { absolute.parent().unwrap_or(&absolute) };
    for above in folder.ancestors() {
        let candidate = above.join(FILE_NAME);
        if is_one(&candidate)? {
            return Ok(Some(candidate));
        }
        // What lies above it is somebody else's.
        if is_repository(above) {
            break;
        }
    }
    let below = folder.join("configs").join(FILE_NAME);
    Ok(is_one(&below)?.then_some(below))
}

/// Where the texts of versions are kept for the registry at a path, which may be a link to it.
pub(super) fn objects(files: &Files, registry: &Path) -> PathBuf {
    let real = files.real(registry).unwrap_or_else(|_| registry.to_owned());
    real.with_file_name(FOLDER).join("objects")
}

/// Whether there is a registry of configs at a path. Other programs, too, call a file so.
pub(super) fn is_one(candidate: &Path) -> io::Result<bool> {
    match fs::read(candidate) {
        Ok(bytes) => {
            Ok(is_registry(&String::from_utf8_lossy(&bytes)) || candidate.with_file_name(FOLDER).join("objects").is_dir())
        }
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

/// A path from the root, without `..` where its folder exists.
pub(crate) fn absolute(path: &Path) -> io::Result<PathBuf> {
    let here = Environment { folder: std::env::current_dir()?, ..Environment::default() };
    Ok(here.plain(path))
}

/// The folder in which the paths of a registry begin: its own, or where every path begins with the name of that folder, and none leads
/// anywhere from there, the one above it.
pub(super) fn base(files: &Files, registry_path: &Path, registry: &Registry) -> PathBuf {
    let own = registry_path.parent().unwrap_or(Path::new("/"));
    let name = own.file_name().unwrap_or_default().to_string_lossy();
    let is_below_name = |path: &str| path.strip_prefix(&*name).is_some_and(|rest| rest.starts_with('/'));
    let mut paths = registry.configs.iter().map(|config| &*config.path.value);
    let is_above =
        !registry.configs.is_empty() && paths.clone().all(is_below_name) && !paths.any(|path| files.is_file(&own.join(path)));
    match own.parent().filter(|_| is_above) {
        Some(above) => above.to_owned(),
        None => own.to_owned(),
    }
}

/// How a registry whose paths begin at `base` calls a file; nothing where it lies elsewhere, or its path is no text.
pub(crate) fn key(base: &Path, file: &Path) -> Option<String> {
    let below = file.strip_prefix(base).ok()?;
    let parts: Option<Vec<&str>> = below.components().map(|part| part.as_os_str().to_str()).collect();
    parts.map(|parts| parts.join("/")).filter(|key| !key.is_empty())
}

/// A path for people: from the working folder, where it lies below it.
pub(crate) fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).to_string_lossy().into_owned()
}
