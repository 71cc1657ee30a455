//! The hardware of a config in `registry.json`. The crate `cfg-registry` has everything else about registries.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use cfg_system::without_dots;
use serde_json::Value;

use crate::Projects;

/// The parts of a `registry.json` that are needed here.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    hardware: HashMap<PathBuf, String>,
}

impl Registry {
    /// Reads a registry from this text. Its errors are reported elsewhere.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let Ok(Value::Object(root)) = serde_json::from_str(text) else { return None };
        let Some(Value::Object(configs)) = root.get("configs") else { return None };
        let stated =
            |(path, entry): (&String, &Value)| Some((without_dots(Path::new(path)), entry.get("hardware")?.as_str()?.to_owned()));
        Some(Self { hardware: configs.iter().filter_map(stated).collect() })
    }
}

impl Projects {
    /// The hardware of a config in the nearest `registry.json` above it.
    pub fn registered_hardware(&self, file: &Path) -> Option<String> {
        let folder = self.folder_of(file);
        let name = file.file_name()?;
        // Files above the repository belong to other projects.
        folder.ancestors_in_repository().find_map(|above| {
            let registry = above.registry().filter(|registry| !registry.hardware.is_empty())?;
            let absolute = folder.path().join(name);
            // Paths are relative to the registry's folder, or to one above it, such as the root of the repository.
            let paths = cfg_system::around(above.path()).filter_map(|root| absolute.strip_prefix(root).ok());
            paths.into_iter().find_map(|path| registry.hardware.get(path)).cloned()
        })
    }
}
