//! The folders of the repository and of shared data.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).to_owned()
}

/// A file or folder of `../shared`, which is not part of the repository. A test that reads it is ignored, with that reason; `.ci/run` runs ignored
/// tests if the folder exists.
///
/// # Panics
///
/// If there is no such file or folder.
pub fn shared(relative: &str) -> PathBuf {
    let path = workspace().join("../shared").join(relative);
    assert!(path.exists(), "../shared/{relative} is not here");
    path
}

/// The TOML files of UTF-8 below a folder, in the order of their paths.
///
/// # Panics
///
/// If a folder can't be read.
pub fn configs_below(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let of_path = |path: PathBuf| {
        if path.is_dir() {
            return configs_below(&path);
        }
        let is_config = path.extension().is_some_and(|extension| extension == "toml");
        let text = if is_config { fs::read_to_string(&path).ok() } else { None };
        text.map(|text| (path, text)).into_iter().collect()
    };
    paths.into_iter().flat_map(of_path).collect()
}
