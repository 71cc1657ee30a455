//! Models that lie on this machine: a folder, or a copy from the Hugging Face hub.

use std::{
    fs,
    path::{Component, Path, PathBuf},
    sync::{Arc, PoisonError},
};

use cfg_memory::{
    Bytes,
    architecture::{Architecture, ConfigError, from_config_json},
};

use crate::{Projects, files};

/// A model's `config.json` on this machine.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalModel {
    /// The file.
    pub path: PathBuf,
    /// The shape that it gives, or why it gives none.
    pub shape: Result<Architecture, ConfigError>,
    /// The size of the files of weights beside it, where these are quantised.
    pub weights_on_disk: Option<Bytes>,
}

/// The folder of a model's copies in the hub's cache that holds one for each commit.
const SNAPSHOTS: &str = "snapshots";

/// No model's `config.json` is as large as this.
const MOST: u64 = 4 << 20;

impl LocalModel {
    /// Reads a `config.json`; nothing where there is none.
    ///
    /// # Errors
    /// Where it can't be read.
    pub fn read(path: &Path) -> std::io::Result<Option<Self>> {
        let Some(bytes) = files::read_regular_up_to(path, MOST)? else { return Ok(None) };
        let text = String::from_utf8_lossy(&bytes);
        let is_quantised = text.contains("\"quantization_config\"");
        let weights_on_disk = is_quantised.then(|| weights(path.parent()?)).flatten();
        Ok(Some(Self { path: path.to_owned(), shape: from_config_json(&text), weights_on_disk }))
    }
}

/// The size of all files of weights in a folder.
fn weights(folder: &Path) -> Option<Bytes> {
    let is_weights = |path: &Path| path.extension().is_some_and(|ending| ending == "safetensors");
    let entries = fs::read_dir(folder).ok()?.flatten();
    // Copies from the hub are links.
    let sizes = entries.filter(|entry| is_weights(&entry.path())).filter_map(|entry| fs::metadata(entry.path()).ok());
    let bytes: u64 = sizes.map(|metadata| metadata.len()).fold(0, u64::saturating_add);
    #[expect(clippy::cast_precision_loss, reason = "no model has 2^53 bytes")]
    (bytes > 0).then_some(Bytes::new(bytes as f64))
}

impl Projects {
    /// A model as a config names it: a folder, from the working folder or from that of the config, or a name on the hub of which a copy
    /// lies on this machine. Each place is looked at once.
    pub fn model(&self, name: &str, file: &Path) -> Option<Arc<LocalModel>> {
        if name.is_empty() || name.len() > 1024 || name.contains('\0') {
            return None;
        }
        let folder = self.folder_of(file);
        let in_folder = |folder: &Path| self.model_in(folder.join(name), read_in);
        in_folder(&self.environment.folder).or_else(|| in_folder(folder.path())).or_else(|| {
            let hub = self.environment.hub_cache.as_deref()?;
            self.model_in(hub.join(folder_of(name)?).join(SNAPSHOTS), copy)
        })
    }

    /// The model that is found in a folder, which is looked at once.
    fn model_in(&self, folder: PathBuf, find: impl FnOnce(&Path) -> Option<LocalModel>) -> Option<Arc<LocalModel>> {
        if let Some(known) = self.models.read().unwrap_or_else(PoisonError::into_inner).get(folder.as_os_str()) {
            return known.clone();
        }
        let found = find(&folder).map(Arc::new);
        self.models.write().unwrap_or_else(PoisonError::into_inner).insert(folder.into(), found.clone());
        found
    }
}

/// The model in a folder.
fn read_in(folder: &Path) -> Option<LocalModel> {
    LocalModel::read(&folder.join("config.json")).ok().flatten()
}

/// The copy of a model from the hub: of its main branch, or else the newest that there is.
fn copy(snapshots: &Path) -> Option<LocalModel> {
    let repository = snapshots.parent()?;
    let main = files::read_text(&repository.join("refs").join("main"));
    let named = main.as_deref().map(str::trim).filter(|sha| is_plain(sha)).and_then(|sha| read_in(&snapshots.join(sha)));
    named.or_else(|| {
        let mut others: Vec<_> = fs::read_dir(snapshots).ok()?.flatten().collect();
        let written = |entry: &fs::DirEntry| entry.metadata().and_then(|metadata| metadata.modified()).ok();
        others.sort_by_cached_key(|entry| (std::cmp::Reverse(written(entry)), entry.file_name()));
        others.into_iter().find_map(|entry| read_in(&entry.path()))
    })
}

/// The folder of a model's copies: `models--org--name`. Nothing for what can be no name on the hub.
fn folder_of(name: &str) -> Option<String> {
    let parts: Vec<&str> = name.split('/').collect();
    let is_part = |part: &&str| {
        !part.is_empty()
            && part.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.'))
    };
    (parts.len() <= 2 && parts.iter().all(is_part) && is_plain(name.rsplit('/').next()?))
        .then(|| format!("models--{}", parts.join("--")))
}

/// Whether a name is that of one folder and leads nowhere else.
fn is_plain(name: &str) -> bool {
    let mut components = Path::new(name).components();
    matches!((components.next(), components.next()), (Some(Component::Normal(_)), None))
}
