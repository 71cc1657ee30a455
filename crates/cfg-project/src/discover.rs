//! From the paths of a command line to the files to check.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf, is_separator},
    sync::{Mutex, PoisonError},
};

use ignore::{WalkBuilder, WalkState};

use crate::Environment;

/// A file to check.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// Its path, beginning as the path on the command line did.
    pub path: PathBuf,
    /// Whether it was named itself rather than found in a folder: such a file is checked whatever it looks like.
    pub explicit: bool,
}

/// A path that can't be checked.
#[derive(Debug)]
pub struct DiscoverError {
    /// Which.
    pub path: PathBuf,
    /// Why.
    pub error: io::Error,
}

/// How folders are searched.
#[derive(Clone, Copy, Debug)]
pub struct DiscoverOptions {
    /// Whether `.gitignore` and `.ignore` files are respected.
    pub respect_ignores: bool,
    /// Whether hidden files and folders are searched as well.
    pub hidden: bool,
    /// The threads that search; 0 chooses.
    pub threads: usize,
}

impl Default for DiscoverOptions {
    fn default() -> Self {
        Self { respect_ignores: true, hidden: false, threads: 0 }
    }
}

/// The names under which TOML files in a folder are never configs: the settings themselves, and those of Python projects.
const NEVER_CONFIGS: [&str; 2] = ["cfg.toml", "pyproject.toml"];

/// Finds the files to check: files as they are named, in folders all `*.toml` files. They are sorted by path, each once.
///
/// Links to folders are not followed below the named ones; a link to a file is a file. What can't be read is an error in the result,
/// and does not stop the search.
pub fn discover(paths: &[PathBuf], options: DiscoverOptions) -> Vec<Result<Found, DiscoverError>> {
    let environment = Environment::of_process();
    let mut found = Vec::new();
    let mut folders = Vec::new();
    for path in paths {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => folders.push(path.as_path()),
            // Opening is the only proof that a file can be read; to open a pipe would take its reader's turn.
            Ok(metadata) if metadata.is_file() => match fs::File::open(path) {
                Ok(_) => found.push(Ok(Found { path: path.clone(), explicit: true })),
                Err(error) => found.push(Err(DiscoverError { path: path.clone(), error })),
            },
            Ok(_) => found.push(Ok(Found { path: path.clone(), explicit: true })),
            Err(error) => found.push(Err(DiscoverError { path: path.clone(), error })),
        }
    }
    if !folders.is_empty() {
        search(&folders, options, &mut found);
    }
    once_each(found, &environment)
}

/// Whether a file in a folder can be a config, by its name.
pub fn may_be_config(path: &Path) -> bool {
    let is_toml = path.extension().is_some_and(|extension| extension == "toml");
    is_toml && path.file_name().is_some_and(|file| NEVER_CONFIGS.iter().all(|name| file != *name))
}

fn search(folders: &[&Path], options: DiscoverOptions, found: &mut Vec<Result<Found, DiscoverError>>) {
    let mut builder = WalkBuilder::from_iter(folders);
    builder.standard_filters(options.respect_ignores).hidden(!options.hidden).require_git(false).threads(options.threads);
    // The notes of version control are no configs, however hidden files are treated.
    builder.filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git");
    let collected = Mutex::new(Vec::new());
    builder.build_parallel().run(|| {
        let mut own = Collector { found: Vec::new(), all: &collected };
        Box::new(move |entry| {
            own.found.extend(taken(entry));
            WalkState::Continue
        })
    });
    found.append(&mut collected.into_inner().unwrap_or_else(PoisonError::into_inner));
}

/// What one thread has found; handed over when the thread is done.
struct Collector<'a> {
    found: Vec<Result<Found, DiscoverError>>,
    all: &'a Mutex<Vec<Result<Found, DiscoverError>>>,
}

impl Drop for Collector<'_> {
    fn drop(&mut self) {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).append(&mut self.found);
    }
}

fn taken(entry: Result<ignore::DirEntry, ignore::Error>) -> Option<Result<Found, DiscoverError>> {
    let entry = match entry {
        Ok(entry) => entry,
        Err(error) => return unreadable(error).map(Err),
    };
    let path = entry.path();
    if !may_be_config(path) {
        return None;
    }
    let is_file = entry.file_type().is_some_and(|kind| kind.is_file() || kind.is_symlink() && path.is_file());
    let path = path.strip_prefix(".").unwrap_or(path);
    is_file.then(|| Ok(Found { path: path.to_owned(), explicit: false }))
}

/// An error of the search that leaves files unchecked. A line of a `.gitignore` that is not understood, or a file that went away
/// meanwhile, does not.
fn unreadable(error: ignore::Error) -> Option<DiscoverError> {
    let mut path = PathBuf::new();
    let mut inner = &error;
    loop {
        inner = match inner {
            ignore::Error::WithPath { path: at, err } => {
                path.clone_from(at);
                err
            }
            ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => err,
            _ => break,
        };
    }
    let error = error.into_io_error().filter(|error| error.kind() != io::ErrorKind::NotFound)?;
    Some(DiscoverError { path, error })
}

/// Sorts by path; of several ways to one path the one that was named counts.
fn once_each(found: Vec<Result<Found, DiscoverError>>, environment: &Environment) -> Vec<Result<Found, DiscoverError>> {
    let is_named = |entry: &Result<Found, DiscoverError>| matches!(entry, Ok(Found { explicit: true, .. }));
    let place = |entry: &Result<Found, DiscoverError>| match entry {
        Ok(Found { path, .. }) | Err(DiscoverError { path, .. }) => order(environment.absolute(path)),
    };
    let mut by_place: Vec<(Vec<u8>, Result<Found, DiscoverError>)> =
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

/// The bytes by which absolute paths are ordered as by their parts: what lies in a folder stands before the names that begin with that of the
/// folder, and `..` before all names. Zero is in no name.
fn order(path: PathBuf) -> Vec<u8> {
    let mut bytes = path.into_os_string().into_encoded_bytes();
    bytes.iter_mut().filter(|byte| is_separator(char::from(**byte))).for_each(|byte| *byte = 0);
    for at in 1..bytes.len().saturating_sub(1) {
        if bytes[at - 1] == 0 && bytes[at..].starts_with(b"..") && matches!(bytes.get(at + 2), None | Some(0)) {
            bytes[at..at + 2].fill(0);
        }
    }
    bytes
}

impl fmt::Display for DiscoverError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.path.display(), self.error)
    }
}

impl std::error::Error for DiscoverError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}
