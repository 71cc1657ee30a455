//! Files that another config of their folder names in `toml_files`: by themselves they are no whole config, and need not be.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use cfg_system::{Role, Scope, System, tidy};
use toml::Value;

use crate::Projects;

/// So many files of a folder are looked at.
const MOST: usize = 4096;

/// The configs of a folder that are named by others of it, each with one that names it.
pub(crate) fn in_folder(system: &dyn System, folder: &Path) -> HashMap<PathBuf, PathBuf> {
    let Ok(entries) = system.list(folder, Scope::Inside) else { return HashMap::new() };
    let paths = entries.into_iter().map(|entry| folder.join(entry.name));
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "toml")).take(MOST).collect();
    paths.sort_unstable();
    let mut included = HashMap::new();
    for path in paths {
        let Some(text) = system.text(&path, Role::Config).filter(|text| text.contains("toml_files")) else { continue };
        let Ok(Value::Table(root)) = text.parse::<toml::Table>().map(Value::Table) else { continue };
        let Some(Value::Array(named)) = root.get("toml_files") else { continue };
        for name in named.iter().filter_map(Value::as_str) {
            let named = tidy(&folder.join(name));
            if named != path {
                included.entry(named).or_insert_with(|| path.clone());
            }
        }
    }
    included
}

impl Projects {
    /// The config beside this one that has it in `toml_files`, through others or by itself, and is in no other's; as this one is named.
    /// Nothing where the chain comes back to itself: then there is no whole.
    pub fn includer(&self, file: &Path) -> Option<PathBuf> {
        let folder = self.folder_of(file);
        let included = folder.included();
        let own = folder.path().join(file.file_name()?);
        let mut chain = vec![included.get(&own)?];
        while let Some(above) = chain.last().and_then(|last| included.get(*last)) {
            if *above == own || chain.contains(&above) {
                return None;
            }
            chain.push(above);
        }
        Some(file.with_file_name(chain.last()?.file_name()?))
    }
}
