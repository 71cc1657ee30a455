//! Paths as texts: nothing here accesses a file system.

use std::{
    borrow::Cow,
    ffi::OsStr,
    iter::Take,
    path::{Ancestors, Component, Path, PathBuf, is_separator},
};

/// The length of the longest path, in bytes: Linux accepts no longer one.
const MAX_BYTES: usize = 4096;

/// The largest number of folders on a path whose surroundings are looked at. What is looked for in each of them costs more the deeper it is, and nobody
/// has a project this deep.
const MAX_FOLDERS: usize = 128;

/// Whether a path is longer than any file's.
pub(crate) fn is_too_long(path: &Path) -> bool {
    path.as_os_str().len() > MAX_BYTES
}

/// Whether a path is longer than any file's, or so deep that nothing is looked for in the folders around it: it is in no project.
pub fn is_out_of_reach(path: &Path) -> bool {
    let folders = || path.as_os_str().as_encoded_bytes().iter().filter(|byte| is_separator(char::from(**byte))).count();
    is_too_long(path) || folders() > MAX_FOLDERS
}

/// A path and the folders around it, the nearest first; only the path itself if it is [out of reach](is_out_of_reach).
pub fn around(path: &Path) -> Take<Ancestors<'_>> {
    let most = if is_out_of_reach(path) { 1 } else { usize::MAX };
    #[expect(clippy::disallowed_methods, reason = "the number is limited here")]
    path.ancestors().take(most)
}

/// `path` without `.`; `..` stays, because a link may come before it.
pub fn without_dots(path: &Path) -> PathBuf {
    path.components().filter(|component| *component != Component::CurDir).collect()
}

/// `path` without `.`, and without the parts that `..` removes.
pub fn tidy(path: &Path) -> PathBuf {
    // Most paths are tidy. On Windows, separators may be written in two ways.
    if cfg!(unix) && is_plain(path) {
        return path.to_owned();
    }
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
pub(crate) fn absolute<'p>(folder: &Path, path: &'p Path) -> Cow<'p, Path> {
    let joined = if path.is_absolute() { Cow::Borrowed(path) } else { Cow::Owned(folder.join(path)) };
    let has_dots = || steps(&joined).any(|step| matches!(step, b"" | b"."));
    if !is_plain(&joined) && has_dots() { without_dots(&joined).into() } else { joined }
}

/// Whether a path is absolute, with a name after each separator that does not begin with a dot, as most paths are.
pub(crate) fn is_plain(path: &Path) -> bool {
    let ends_in_folder = || path.as_os_str().as_encoded_bytes().last().is_some_and(|byte| is_separator(char::from(*byte)));
    path.is_absolute() && !has_pair(path, |byte| byte == b'.' || is_separator(char::from(byte))) && !ends_in_folder()
}

/// The text by which an [`absolute`] path is looked up: hashing a text is faster than hashing the parts of a path.
pub(crate) fn key(path: &Path) -> Cow<'_, OsStr> {
    // On Windows, two separators mean the same.
    if cfg!(windows) { path.components().collect::<PathBuf>().into_os_string().into() } else { path.as_os_str().into() }
}

/// Whether an [`absolute`] path is another one, or below it.
pub(crate) fn is_within(path: &Path, folder: &Path) -> bool {
    below(path, folder).is_some()
}

/// The rest of an absolute path below a folder, also absolute; empty for the folder itself, and `None` if it is elsewhere. Both are without `.`. As texts
/// they are compared faster than part by part.
#[cfg(unix)]
pub fn below<'p>(path: &'p Path, folder: &Path) -> Option<&'p Path> {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = folder.as_os_str().as_bytes();
    let rest = path.as_os_str().as_bytes().strip_prefix(folder)?;
    let rest = if folder.ends_with(b"/") || rest.is_empty() { rest } else { rest.strip_prefix(b"/")? };
    Some(Path::new(OsStr::from_bytes(rest)))
}

/// The rest of an absolute path below a folder, also absolute; empty for the folder itself, and `None` if it is elsewhere. Both are without `.`.
#[cfg(not(unix))]
pub fn below<'p>(path: &'p Path, folder: &Path) -> Option<&'p Path> {
    path.strip_prefix(folder).ok()
}

/// The folder of an absolute path without `.`, and its name there; `None` for a root. As a text it is split faster than into its parts.
#[cfg(unix)]
pub fn folder_and_name(path: &Path) -> Option<(&Path, &OsStr)> {
    use std::os::unix::ffi::OsStrExt as _;
    let bytes = path.as_os_str().as_bytes();
    let end = bytes.iter().rposition(|byte| *byte == b'/')?;
    let (folder, name) = (&bytes[..end.max(1)], &bytes[end + 1..]);
    (!name.is_empty()).then_some((Path::new(OsStr::from_bytes(folder)), OsStr::from_bytes(name)))
}

/// The folder of an absolute path without `.`, and its name there; `None` for a root.
#[cfg(not(unix))]
pub fn folder_and_name(path: &Path) -> Option<(&Path, &OsStr)> {
    Some((path.parent()?, path.components().next_back()?.as_os_str()))
}

/// The name at the end of a path, as [`Path::file_name`] finds it. As a text it is found faster than among the path's parts, which counts in a search.
#[cfg(unix)]
pub fn file_name(path: &Path) -> Option<&OsStr> {
    use std::os::unix::ffi::OsStrExt as _;
    let bytes = path.as_os_str().as_bytes();
    match &bytes[bytes.iter().rposition(|byte| *byte == b'/').map_or(0, |end| end + 1)..] {
        b"" | b"." | b".." => path.file_name(),
        name => Some(OsStr::from_bytes(name)),
    }
}

/// The name at the end of a path, as [`Path::file_name`] finds it.
#[cfg(not(unix))]
pub fn file_name(path: &Path) -> Option<&OsStr> {
    path.file_name()
}

/// The path of a name in a folder, as [`Path::join`] makes it, with room for both from the start.
pub fn path_in(folder: &Path, name: &str) -> PathBuf {
    let mut path = PathBuf::with_capacity(folder.as_os_str().len() + 1 + name.len());
    path.push(folder);
    path.push(name);
    path
}

/// The path of a file relative to a folder, with `/`; both are absolute.
pub fn relative(folder: &Path, file: &Path) -> String {
    let common = folder.components().zip(file.components()).take_while(|(one, other)| one == other).count();
    if common == 0 {
        return file.to_string_lossy().replace('\\', "/");
    }
    let up = folder.components().skip(common).map(|_| "..".to_owned());
    let down = file.components().skip(common).map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{around, below, folder_and_name, relative};

    #[test]
    fn names_are_relative_to_a_folder() {
        let from = |folder: &str, file: &str| relative(Path::new(folder), Path::new(file));
        assert_eq!(from("/p", "/p/configs/a.toml"), "configs/a.toml");
        assert_eq!(from("/p/ci/known", "/p/configs/a.toml"), "../../configs/a.toml");
        assert_eq!(from("/", "/a.toml"), "a.toml");
    }

    #[test]
    fn nothing_is_looked_for_around_a_path_that_is_too_deep_or_too_long() {
        let count = |folders: usize, name: &str| around(Path::new(&("/a".repeat(folders) + "/" + name))).count();
        assert_eq!([count(0, "x"), count(3, "x"), count(127, "x")], [2, 5, 129]);
        assert_eq!([count(128, "x"), count(2000, "x"), count(1, &"x".repeat(4096))], [1, 1, 1]);
    }

    #[test]
    fn texts_are_split_as_paths_are() {
        let paths = ["/", "/a", "/a/b", "/a/bc", "/a/b/c", "/a/..", "/ab"].map(Path::new);
        for path in paths {
            for folder in paths {
                assert_eq!(below(path, folder), path.strip_prefix(folder).ok(), "{} {}", path.display(), folder.display());
            }
            assert_eq!(folder_and_name(path).map(|(folder, _)| folder), path.parent(), "{}", path.display());
            assert_eq!(folder_and_name(path).map(|(_, name)| name), path.iter().skip(1).last(), "{}", path.display());
        }
    }
}
