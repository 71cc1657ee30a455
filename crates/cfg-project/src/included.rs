//! Files that another config of their folder names in `toml_files`: by themselves they are no whole config, and need not be.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use toml::Value;

use crate::{Files, Projects, files::tidy};

/// So many files of a folder are looked at.
const MOST: usize = 4096;

/// The configs of a folder that are named by others of it, each with one that names it.
pub(crate) fn in_folder(files: &Files, folder: &Path) -> HashMap<PathBuf, PathBuf> {
    let Ok(paths) = files.list(folder) else { return HashMap::new() };
    let mut paths: Vec<PathBuf> =
        paths.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "toml")).take(MOST).collect();
    paths.sort_unstable();
    let mut included = HashMap::new();
    for path in paths {
        let Some(text) = files.text_around(&path).filter(|text| text.contains("toml_files")) else { continue };
        let Ok(Value::Table(root)) = text.parse::<toml::Table>().map(Value::Table) else { continue };
        let Some(Value::Array(named)) = root.get("toml_files") else { continue };
        for name in named.iter().filter_map(Value::as_str) {
            included.entry(tidy(&folder.join(name))).or_insert_with(|| path.clone());
        }
    }
    included
}

impl Projects {
    /// A config beside this one that names it in `toml_files`, as this one is named.
    pub fn includer(&self, file: &Path) -> Option<PathBuf> {
        let folder = self.folder_of(file);
        let own = folder.path().join(file.file_name()?);
        let includer = folder.included().get(&own)?;
        Some(file.with_file_name(includer.file_name()?))
    }
}
