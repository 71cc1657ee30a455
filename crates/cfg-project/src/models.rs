//! Models on this machine: a folder, or a copy from the Hugging Face hub.

use std::{
    cmp::Reverse,
    io,
    path::{Component, Path, PathBuf},
    sync::{Arc, PoisonError},
};

use cfg_memory::{
    Bytes,
    architecture::{ConfigError, ModelConfig},
};
use cfg_system::{Entry, Host, Role, Scope, System};

use crate::Projects;

/// A model's `config.json` on this machine.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalModel {
    /// The file.
    pub path: PathBuf,
    /// Whether it is in the Hugging Face hub's cache, and not in a folder that was named.
    pub is_cached: bool,
    /// What it says about memory, or why that is not known.
    pub config: Result<ModelConfig, ConfigError>,
    /// The size of the weights beside it, if they are quantised.
    pub weights_on_disk: Option<Bytes>,
}

/// The folder of a model in the hub's cache that contains one folder for each downloaded commit.
const SNAPSHOTS: &str = "snapshots";

impl LocalModel {
    /// Reads a `config.json`; `None` if there is none.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn read(system: &dyn System, path: &Path) -> io::Result<Option<Self>> {
        let Some(bytes) = system.read_if_there(path, Role::Model)? else { return Ok(None) };
        let text = String::from_utf8_lossy(&bytes);
        let config = ModelConfig::read(&text);
        let is_quantised = config.as_ref().is_ok_and(|config| config.format.is_quantised());
        let weights_on_disk = is_quantised.then(|| weights(system, path.parent()?)).flatten();
        Ok(Some(Self { path: path.to_owned(), is_cached: false, config, weights_on_disk }))
    }
}

/// The size of the weights in a folder: as stated by their index, or else that of all files.
fn weights(system: &dyn System, folder: &Path) -> Option<Bytes> {
    if let Some(stated) = indexed(system, folder) {
        return Some(stated);
    }
    let is_weights = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "safetensors");
    let paths = system.list(folder, Scope::Anywhere).ok()?.into_iter().map(|entry| folder.join(entry.name));
    // The files of the hub's cache are links, so their targets' sizes are needed.
    let sizes = paths.filter(is_weights).filter_map(|path| system.status(&path).ok());
    let bytes: u64 = sizes.map(|status| status.size).fold(0, u64::saturating_add);
    #[expect(clippy::cast_precision_loss, reason = "no model has 2^53 bytes")]
    (bytes > 0).then_some(Bytes::new(bytes as f64))
}

/// The bytes of all tensors, from the index that Hugging Face's libraries write beside several weight files.
fn indexed(system: &dyn System, folder: &Path) -> Option<Bytes> {
    let text = system.text(&folder.join("model.safetensors.index.json"), Role::Model)?;
    let index: serde_json::Value = serde_json::from_str(&text).ok()?;
    let bytes = index.get("metadata")?.get("total_size")?.as_f64()?;
    (bytes > 0.0).then_some(Bytes::new(bytes))
}

impl Projects {
    /// A model by its name in a config: a folder, relative to the working folder or to that of the config, or a hub name with a copy on this machine.
    /// Each folder is read only once.
    pub fn model(&self, name: &str, file: &Path) -> Option<Arc<LocalModel>> {
        if name.is_empty() || name.len() > 1024 || name.contains('\0') {
            return None;
        }
        let folder = self.folder_of(file);
        let in_folder = |folder: &Path| self.model_in(folder.join(name), read_in);
        in_folder(self.system.host().folder()).or_else(|| in_folder(folder.path())).or_else(|| {
            let hub = self.hub.get_or_init(|| hub_cache(self.system.host())).as_ref()?;
            self.model_in(hub.join(folder_of(name)?).join(SNAPSHOTS), |system, snapshots| {
                copy(system, snapshots).map(|model| LocalModel { is_cached: true, ..model })
            })
        })
    }

    /// The model in a folder, which is read only once.
    fn model_in(&self, folder: PathBuf, find: impl FnOnce(&dyn System, &Path) -> Option<LocalModel>) -> Option<Arc<LocalModel>> {
        if let Some(known) = self.models.read().unwrap_or_else(PoisonError::into_inner).get(folder.as_os_str()) {
            return known.clone();
        }
        let found = find(&*self.system, &folder).map(Arc::new);
        self.models.write().unwrap_or_else(PoisonError::into_inner).insert(folder.into(), found.clone());
        found
    }
}

/// The model in a folder.
fn read_in(system: &dyn System, folder: &Path) -> Option<LocalModel> {
    LocalModel::read(system, &folder.join("config.json")).ok().flatten()
}

/// The Hugging Face hub's local cache, as its library finds it.
fn hub_cache(host: &dyn Host) -> Option<PathBuf> {
    let set = |name| host.variable(name).map(PathBuf::from);
    let below = |name, rest| set(name).map(|folder| folder.join(rest));
    set("HF_HUB_CACHE")
        .or_else(|| set("HUGGINGFACE_HUB_CACHE"))
        .or_else(|| below("HF_HOME", "hub"))
        .or_else(|| below("XDG_CACHE_HOME", "huggingface/hub"))
        .or_else(|| below("HOME", ".cache/huggingface/hub"))
}

/// The copy of a model from the hub: of its main branch, or else the newest one.
fn copy(system: &dyn System, snapshots: &Path) -> Option<LocalModel> {
    let repository = snapshots.parent()?;
    let main = system.text(&repository.join("refs").join("main"), Role::Model);
    let named = main.as_deref().map(str::trim).filter(|sha| is_plain(sha)).and_then(|sha| read_in(system, &snapshots.join(sha)));
    named.or_else(|| {
        let mut others = system.list(snapshots, Scope::Anywhere).ok()?;
        let written = |entry: &Entry| system.own_status(&snapshots.join(&entry.name)).ok().and_then(|status| status.modified);
        others.sort_by_cached_key(|entry| (Reverse(written(entry)), entry.name.clone()));
        others.into_iter().find_map(|entry| read_in(system, &snapshots.join(entry.name)))
    })
}

/// The folder of a model's copies: `models--org--name`. `None` for a name that the hub can't have.
fn folder_of(name: &str) -> Option<String> {
    let parts: Vec<&str> = name.split('/').collect();
    let is_part = |part: &&str| {
        !part.is_empty()
            && part.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.'))
    };
    (parts.len() <= 2 && parts.iter().all(is_part) && is_plain(name.rsplit('/').next()?))
        .then(|| format!("models--{}", parts.join("--")))
}

/// Whether a name is the plain name of a folder, and not a path.
fn is_plain(name: &str) -> bool {
    let mut components = Path::new(name).components();
    matches!((components.next(), components.next()), (Some(Component::Normal(_)), None))
}
