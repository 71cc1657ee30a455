//! The hardware that `registry.json` states of a config. Versions and lineage are the registry's own crate's.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use cfg_system::without_dots;
use serde_json::Value;

use crate::Projects;

/// What a `registry.json` states, as far as it matters here.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    hardware: HashMap<PathBuf, String>,
}

impl Registry {
    /// The one with this text. What is wrong with it is for those to say whose it is.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let Ok(Value::Object(root)) = serde_json::from_str(text) else { return None };
        let Some(Value::Object(configs)) = root.get("configs") else { return None };
        let stated =
            |(path, entry): (&String, &Value)| Some((without_dots(Path::new(path)), entry.get("hardware")?.as_str()?.to_owned()));
        Some(Self { hardware: configs.iter().filter_map(stated).collect() })
    }
}

impl Projects {
    /// The hardware that the nearest `registry.json` above a config states of it.
    pub fn registered_hardware(&self, file: &Path) -> Option<String> {
        let folder = self.folder_of(file);
        let absolute = folder.path().join(file.file_name()?);
        // What is above its repository is somebody else's.
        folder.ancestors_in_repository().find_map(|above| {
            let registry = above.registry()?;
            // Paths count from the registry's folder, or from one above it: that of the repository.
            let paths = above.path().ancestors().filter_map(|root| absolute.strip_prefix(root).ok());
            paths.into_iter().find_map(|path| registry.hardware.get(path)).cloned()
        })
    }
}
