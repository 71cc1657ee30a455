//! Finds what is neither a regular file nor a folder below a folder, without opening anything.

use std::{
    collections::HashMap,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

use super::kind;
use crate::{Kind, observed::MTIME_RESOLUTION};

/// The maximum depth: each folder is opened by its whole path.
const MAX_DEPTH: usize = 64;

/// The folders that were read before, with the times of their last changes. Several questions are asked about one repository, whose folders of objects
/// may have many entries.
#[derive(Debug, Default)]
pub(super) struct Folders(Mutex<HashMap<PathBuf, Listing>>);

/// What is in a folder.
#[derive(Clone, Debug, Default)]
struct Listing {
    /// When it was last changed; `None` if a later change may have the same time.
    modified: Option<SystemTime>,
    count: usize,
    folders: Vec<PathBuf>,
    unusual: Vec<(PathBuf, Kind)>,
}

impl Folders {
    /// The links, pipes and devices below a folder, with their own types: see [`crate::Host::unusual_below`].
    pub(super) fn unusual_below(
        &self,
        folder: &Path,
        is_entered: &dyn Fn(&OsStr) -> bool,
        most: usize,
    ) -> Option<Vec<(PathBuf, Kind)>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut unusual, mut count) = (Vec::new(), 0_usize);
        let mut rest = vec![(folder.to_owned(), 0)];
        while let Some((folder, depth)) = rest.pop() {
            let listing = match known.get(&folder).filter(|listing| is_unchanged(&folder, listing)) {
                Some(listing) => listing.clone(),
                None => read(&folder, most.saturating_sub(count))?,
            };
            count += listing.count;
            if count > most || depth > MAX_DEPTH {
                return None;
            }
            let entered = listing.folders.iter().filter(|below| depth > 0 || below.file_name().is_some_and(is_entered));
            rest.extend(entered.map(|below| (below.clone(), depth + 1)));
            unusual.extend(listing.unusual.iter().cloned());
            if listing.modified.is_some() {
                known.insert(folder, listing);
            }
        }
        unusual.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        Some(unusual)
    }
}

fn is_unchanged(folder: &Path, listing: &Listing) -> bool {
    listing.modified.is_some() && modified(folder) == listing.modified
}

fn modified(folder: &Path) -> Option<SystemTime> {
    fs::symlink_metadata(folder).ok()?.modified().ok()
}

/// The entries of a folder; none of one that can't be read, because then git can't read it either. `None` if there are more than `most`.
fn read(folder: &Path, most: usize) -> Option<Listing> {
    // Read before the entries, so that a change in between is noticed later.
    let modified = modified(folder);
    let is_settled = |time: &SystemTime| time.elapsed().is_ok_and(|age| age > MTIME_RESOLUTION);
    let mut listing = Listing { modified: modified.filter(is_settled), ..Listing::default() };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        listing.count += 1;
        if listing.count > most {
            return None;
        }
        let Ok(own) = entry.file_type() else { continue };
        if own.is_dir() {
            listing.folders.push(entry.path());
        } else if !own.is_file() && !is_socket(own) {
            listing.unusual.push((entry.path(), kind(own)));
        }
    }
    Some(listing)
}

/// Whether an entry is a socket, which can't be opened as a file: nothing waits for it.
#[cfg(unix)]
fn is_socket(kind: fs::FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_socket(&kind)
}

#[cfg(not(unix))]
const fn is_socket(_: fs::FileType) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use std::{
        ffi::OsStr,
        fs,
        os::unix::{fs::symlink, net::UnixListener},
        path::Path,
        time::{Duration, SystemTime},
    };

    use super::Folders;
    use crate::Kind;

    fn names(folders: &Folders, at: &Path, most: usize) -> Option<Vec<String>> {
        let found = folders.unusual_below(at, &|name: &OsStr| name != "skipped", most)?;
        assert!(found.iter().all(|(_, kind)| *kind == Kind::Link));
        Some(found.iter().map(|(path, _)| path.strip_prefix(at).expect("below it").to_string_lossy().into_owned()).collect())
    }

    #[test]
    fn links_are_found_in_every_folder_that_is_entered() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = folder.path();
        for below in ["a/b", "skipped", "a/skipped"] {
            fs::create_dir_all(at.join(below)).expect("a folder");
            symlink("/", at.join(below).join("link")).expect("a link");
            fs::write(at.join(below).join("file"), "").expect("a file");
        }
        let _socket = UnixListener::bind(at.join("socket")).expect("a socket");
        let folders = Folders::default();
        assert_eq!(names(&folders, at, 100).expect("few"), ["a/b/link", "a/skipped/link"]);
        assert_eq!(names(&folders, at, 8), None, "a, a/b, a/skipped, skipped, the socket and two in each of two");
        assert_eq!(names(&folders, &at.join("missing"), 0).expect("nothing"), [""; 0]);
    }

    #[test]
    fn a_folder_is_read_again_after_a_change() {
        let folder = tempfile::tempdir().expect("a folder");
        let folders = Folders::default();
        let before = SystemTime::now() - Duration::from_mins(1);
        fs::File::open(folder.path()).and_then(|opened| opened.set_modified(before)).expect("a time");
        for _ in 0..2 {
            assert_eq!(names(&folders, folder.path(), 9).expect("nothing"), [""; 0]);
        }
        symlink("/", folder.path().join("link")).expect("a link");
        assert_eq!(names(&folders, folder.path(), 9).expect("a link"), ["link"]);
    }

    #[test]
    fn a_depth_that_no_repository_has_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(folder.path().join("a/".repeat(70))).expect("folders");
        assert_eq!(names(&Folders::default(), folder.path(), 1_000), None);
    }
}
