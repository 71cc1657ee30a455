//! Paths and files, as the core needs them.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use cfg_check::ReadError;
pub(crate) use cfg_ide::tidy as normal;

/// The bytes of a regular file: what is something else could be read without end.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, ReadError> {
    let why = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadError::NotFound,
        io::ErrorKind::IsADirectory => ReadError::IsFolder,
        io::ErrorKind::PermissionDenied => ReadError::Forbidden,
        _ => ReadError::Other(error.to_string()),
    };
    let metadata = fs::metadata(path).map_err(why)?;
    if metadata.is_dir() {
        return Err(ReadError::IsFolder);
    }
    if !metadata.is_file() {
        return Err(ReadError::Other("it is no regular file".to_owned()));
    }
    fs::read(path).map_err(why)
}

/// The file that a path names from the folder of another file, or from one above it.
pub(crate) fn of_project(from: &Path, path: &str) -> Option<PathBuf> {
    let folders = from.ancestors().skip(1);
    let file = folders.map(|folder| normal(&folder.join(path))).find(|file| file.is_file());
    file.filter(|_| !path.is_empty())
}

/// The way from one file to another, with `/` between its steps, as `toml_files` takes it.
pub(crate) fn way(from: &Path, to: &Path) -> String {
    let from: Vec<Component<'_>> = from.parent().unwrap_or(from).components().collect();
    let to: Vec<Component<'_>> = to.components().collect();
    let same = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let up = from[same..].iter().map(|_| "..".to_owned());
    let down = to[same..].iter().map(|component| component.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::way;

    #[test]
    fn a_way_leads_from_file_to_file() {
        assert_eq!(way(Path::new("/a/b/run.toml"), Path::new("/a/base.toml")), "../base.toml");
        assert_eq!(way(Path::new("/a/run.toml"), Path::new("/a/b/base.toml")), "b/base.toml");
        assert_eq!(way(Path::new("/a/run.toml"), Path::new("/a/base.toml")), "base.toml");
    }
}
