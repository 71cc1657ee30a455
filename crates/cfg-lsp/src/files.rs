//! Paths and files, as the core needs them.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use cfg_check::ReadError;
pub(crate) use cfg_ide::tidy as normal;
use cfg_project::may_be_config;

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

/// What `toml_files` of a config could name in a folder, which is named from that of the config: other configs, and folders with a `/` behind.
/// Nothing hidden is meant.
pub(crate) fn configs_in(config: &Path, folder: &str) -> Vec<String> {
    let folder = config.parent().unwrap_or(config).join(folder);
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let named = |entry: fs::DirEntry| {
        let path = entry.path();
        let name = entry.file_name().into_string().ok().filter(|name| !name.starts_with('.'))?;
        if path.is_dir() {
            return Some(name + "/");
        }
        (may_be_config(&path) && normal(&path) != normal(config)).then_some(name)
    };
    entries.filter_map(|entry| named(entry.ok()?)).collect()
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

    use super::{configs_in, way};

    #[test]
    fn a_folder_has_configs_and_folders() {
        let folder = tempfile::tempdir().expect("a folder");
        for file in ["own.toml", "base.toml", "cfg.toml", "notes.md", ".hidden.toml", "parts/long.toml"] {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
            std::fs::write(path, "").expect("it can be written");
        }
        let listed = |below: &str| {
            let mut names = configs_in(&folder.path().join("own.toml"), below);
            names.sort();
            names
        };
        assert_eq!(listed(""), ["base.toml", "parts/"]);
        assert_eq!(listed("parts/"), ["long.toml"]);
        assert_eq!(listed("nowhere/"), [""; 0]);
    }

    #[test]
    fn a_way_leads_from_file_to_file() {
        assert_eq!(way(Path::new("/a/b/run.toml"), Path::new("/a/base.toml")), "../base.toml");
        assert_eq!(way(Path::new("/a/run.toml"), Path::new("/a/b/base.toml")), "b/base.toml");
        assert_eq!(way(Path::new("/a/run.toml"), Path::new("/a/base.toml")), "base.toml");
    }
}
