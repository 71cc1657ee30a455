//! Paths as texts: nothing here accesses a file system.

use std::path::{Component, Path, PathBuf, is_separator};

/// `path` without `.`; `..` stays, because a link may come before it.
pub fn without_dots(path: &Path) -> PathBuf {
    path.components().filter(|component| *component != Component::CurDir).collect()
}

/// `path` without `.`, and without the parts that `..` removes.
pub fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            // The parent of the root is the root.
            Component::ParentDir if tidy.file_name().is_some() || tidy.has_root() => {
                tidy.pop();
            }
            other => tidy.push(other),
        }
    }
    tidy
}

/// `path` as an absolute path, relative to `folder`.
pub(crate) fn absolute(folder: &Path, path: &Path) -> PathBuf {
    // Joining an absolute path replaces the folder.
    let joined = folder.join(path);
    if steps(&joined).any(|step| matches!(step, b"" | b".")) { without_dots(&joined) } else { joined }
}

/// Whether a path contains `..`.
pub(crate) fn goes_back(path: &Path) -> bool {
    steps(path).any(|step| step == b"..")
}

/// The text after each separator of an absolute path: names, `.`, `..`, or nothing.
fn steps(path: &Path) -> impl Iterator<Item = &[u8]> {
    path.as_os_str().as_encoded_bytes().split(|byte| is_separator(char::from(*byte))).skip(1)
}
