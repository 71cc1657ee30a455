//! prime-rl as an installed distribution.

use std::{
    iter,
    path::{Path, PathBuf},
};

use cfg_system::{Role, Scope, System};

use super::{Detection, TargetSource, checkout, past::Past, reference, requirement};
use crate::folder::Folder;

/// The maximum number of `.pth` files that are read in a library, and of folders that they name.
const MAX_LINKS: usize = 256;

/// The prime-rl that is installed in the `.venv` of `folder`.
pub(super) fn detect(folder: &Folder) -> Option<Detection> {
    within(folder, &folder.path().join(".venv"))
}

/// The prime-rl that is installed in the activated environment, which is used for configs in any folder.
pub(crate) fn detect_activated(folder: &Folder) -> Option<Detection> {
    let system = folder.system();
    // `VIRTUAL_ENV` is the activated Python environment.
    within(folder, &system.absolute(Path::new(&system.host().variable("VIRTUAL_ENV")?)))
}

fn within(folder: &Folder, environment: &Path) -> Option<Detection> {
    let system = folder.system();
    if !system.is_folder(environment) {
        return None;
    }
    let libraries = libraries(system, environment);
    let distributions: Vec<PathBuf> =
        libraries.iter().flat_map(|library| entries(system, library, |name| name.ends_with(".dist-info"))).collect();
    let named = |is_wanted: fn(&str) -> bool| distributions.iter().find(|path| name_of(path).is_some_and(is_wanted));
    // The config classes may be installed without prime-rl itself.
    match named(reference::is_prime_rl).or_else(|| named(reference::is_configs)) {
        Some(path) => distribution(folder, path),
        None => checkout_among(folder, &libraries),
    }
}

/// The folders in which Python looks for the packages of an environment.
pub(crate) fn libraries(system: &dyn System, environment: &Path) -> Vec<PathBuf> {
    let pythons = entries(system, &environment.join("lib"), |name| name.starts_with("python"));
    // On Windows there is no folder for the Python version.
    let libraries =
        pythons.iter().map(|python| python.join("site-packages")).chain([environment.join("Lib").join("site-packages")]);
    libraries
        .filter(|library| system.is_folder(library))
        .flat_map(|library| {
            let linked = linked(system, &library);
            iter::once(library).chain(linked)
        })
        .collect()
}

/// The folders that the `.pth` files of a library name: the sources of editable installations. Lines that Python would run as code are ignored,
/// such as those that install import hooks.
pub(super) fn linked(system: &dyn System, library: &Path) -> Vec<PathBuf> {
    let is_link = |name: &str| Path::new(name).extension().is_some_and(|extension| extension == "pth");
    let mut folders = Vec::new();
    for path in entries(system, library, is_link).into_iter().take(MAX_LINKS) {
        let Some(text) = system.text(&path, Role::Distribution) else { continue };
        let is_run = |line: &str| line.starts_with("import ") || line.starts_with("import\t");
        let lines = text.lines().map(str::trim_end).filter(|line| !(line.is_empty() || line.starts_with('#') || is_run(line)));
        folders.extend(lines.take(MAX_LINKS).map(|line| library.join(line)).filter(|folder| system.is_folder(folder)));
        folders.truncate(MAX_LINKS);
    }
    folders
}

/// The checkout from which Python would import prime-rl: the one that contains the first of these folders with prime-rl.
fn checkout_among(folder: &Folder, roots: &[PathBuf]) -> Option<Detection> {
    let has_prime_rl = |root: &&PathBuf| folder.system().is_folder(&root.join("prime_rl"));
    roots.iter().filter(has_prime_rl).find_map(|root| checkout::around(folder, root))
}

/// The name of the distribution in the name of a `.dist-info` folder.
fn name_of(path: &Path) -> Option<&str> {
    Some(path.file_name()?.to_str()?.strip_suffix(".dist-info")?.split_once('-')?.0)
}

/// The prime-rl of a `.dist-info` folder. For an installation from git or from a folder, the source is in `direct_url.json` (PEP 610); the
/// version would only be that of the previous release.
fn distribution(folder: &Folder, path: &Path) -> Option<Detection> {
    let system = folder.system();
    let source = TargetSource::Installed { path: path.to_owned() };
    let direct = system
        .text(&path.join("direct_url.json"), Role::Distribution)
        .and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    if let Some(direct) = direct {
        if let Some(sha) = direct["vcs_info"]["commit_id"].as_str().filter(|sha| sha.bytes().all(|byte| byte.is_ascii_hexdigit()))
        {
            let by_commit = reference::of_commit(sha, source.clone(), || Past::Unknown);
            let asked_for = direct["vcs_info"]["requested_revision"].as_str();
            let by_name = || reference::of_revision(asked_for?, source).filter(Result::is_ok);
            return Some(by_commit.or_else(|problem| by_name().unwrap_or(Err(problem))));
        }
        let archive = direct["url"].as_str().filter(|url| !url.starts_with("file://")).and_then(requirement::in_url);
        if let Some(detection) = archive.and_then(|pin| reference::of_pin(folder, path, &pin, source.clone())) {
            return Some(detection);
        }
        let origin = direct["url"].as_str().and_then(|url| url.strip_prefix("file://")).map(decoded);
        if let Some(detection) = origin.and_then(|origin| checkout::around(folder, Path::new(&origin))) {
            return Some(detection);
        }
    }
    // Older installers record an editable installation only in a `.pth` file. Files in the library itself have priority, as in Python.
    let library = path.parent()?;
    if !system.is_folder(&library.join("prime_rl"))
        && let Some(detection) = checkout_among(folder, &linked(system, library))
    {
        return Some(detection);
    }
    let metadata = system.text(&path.join("METADATA"), Role::Distribution)?;
    let headers = metadata.lines().take_while(|line| !line.is_empty());
    let version =
        headers.filter_map(|line| line.split_once(':')).find(|(name, _)| name.eq_ignore_ascii_case("version"))?.1.trim();
    if !is_version(version) {
        return None;
    }
    if name_of(path).is_some_and(reference::is_configs) {
        return reference::of_pin(folder, path, &requirement::Pin::OwnVersion(version), source);
    }
    Some(reference::of_version(version, source))
}

/// Whether a text looks like a version (PEP 440). This is checked because the text is quoted in messages, and a link may lead to any file.
fn is_version(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'!' | b'_' | b'-');
    text.len() <= 64 && text.starts_with(|first: char| first.is_ascii_digit() || first == 'v') && text.bytes().all(is_part)
}

/// The entries of a folder whose names are wanted, sorted.
pub(super) fn entries(system: &dyn System, folder: &Path, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let all = system.list(folder, Scope::Anywhere).unwrap_or_default().into_iter();
    let mut found: Vec<PathBuf> =
        all.filter(|entry| entry.name.to_str().is_some_and(&wanted)).map(|entry| folder.join(entry.name)).collect();
    found.sort();
    found
}

/// A part of a URL with `%20` decoded.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let escaped = after.get(..2).filter(|_| first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
