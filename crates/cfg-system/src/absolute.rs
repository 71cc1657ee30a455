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
    let may_have_dots = has_pair(&joined, |byte| byte == b'.' || is_separator(char::from(byte)));
    let ends_in_folder = joined.as_os_str().as_encoded_bytes().last().is_some_and(|byte| is_separator(char::from(*byte)));
    let has_dots = || steps(&joined).any(|step| matches!(step, b"" | b"."));
    if (may_have_dots || ends_in_folder) && has_dots() { without_dots(&joined) } else { joined }
}

/// Whether a path contains `..`.
pub(crate) fn goes_back(path: &Path) -> bool {
    has_pair(path, |byte| byte == b'.') && steps(path).any(|step| step == b"..")
}

/// Whether a separator is followed by such a byte. Paths are compared several times for each config, most of which have none: all pairs are looked at
/// at once, not one after another.
fn has_pair(path: &Path, is_second: impl Fn(u8) -> bool) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    let behind = bytes.get(1..).unwrap_or_default();
    bytes.iter().zip(behind).fold(false, |has, (first, second)| has | (is_separator(char::from(*first)) & is_second(*second)))
}

/// The text after each separator of an absolute path: names, `.`, `..`, or nothing.
fn steps(path: &Path) -> impl Iterator<Item = &[u8]> {
    path.as_os_str().as_encoded_bytes().split(|byte| is_separator(char::from(*byte))).skip(1)
}
