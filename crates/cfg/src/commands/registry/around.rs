//! The registries around the files that are checked: each folder is looked at once, each registry read once. Nothing is written, and no lock
//! is taken.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use cfg_check::{Other, Seen, Session};
use cfg_diag::{Diagnostic, Severity, codes};
use cfg_project::{Environment, Files, is_repository};
use cfg_registry::{
    Registry,
    fingerprint::Digest,
    registry::{Place, REGISTRY_FILE, Unresolved, is_registry},
    store::{FILE_NAME, FOLDER},
    verify::{self, File, Held, Object},
};

use super::place;
use crate::preflight::Registered;

/// The registries that have been asked for so far.
pub(crate) struct Registries {
    environment: Environment,
    folders: RwLock<HashMap<OsString, Option<Arc<Around>>>>,
    /// Those that can't be used, by their path.
    broken: Mutex<BTreeMap<PathBuf, Diagnostic>>,
}

/// A registry, as it was when it was first asked for.
pub(super) struct Around {
    files: Files,
    path: PathBuf,
    pub(super) base: PathBuf,
    pub(super) registry: Registry,
    /// The folders with registered configs in them.
    folders: HashSet<String>,
    pub(super) is_sound: bool,
}

impl Around {
    fn read(files: &Files, path: PathBuf) -> io::Result<Option<Self>> {
        let bytes = match files.read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if !is_registry(&text) && !files.is_folder(&path.with_file_name(FOLDER).join("objects")) {
            return Ok(None);
        }
        let (registry, diagnostics) = Registry::read(&text);
        let base = place::base(files, &path, &registry);
        let folders = registry.configs.iter().map(|config| folder_of(&config.path.value).to_owned()).collect();
        let is_sound = diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error);
        Ok(Some(Self { files: files.clone(), path, base, registry, folders, is_sound }))
    }

    /// The version that a reference in the config `from` means.
    fn find(&self, reference: &str, from: Option<&str>) -> Result<Place, Unresolved> {
        self.registry.resolve(reference, from)
    }

    /// The exact bytes of a version.
    pub(super) fn bytes(&self, place: Place) -> Option<Vec<u8>> {
        let digest: Digest = self.registry.entry(place).sha256.as_ref()?.value.parse().ok()?;
        let object = place::objects(&self.files, &self.path).join(digest.to_string());
        let file = self.base.join(&*self.registry.configs[place.config].path.value);
        [object, file].into_iter().find_map(|path| self.files.read(&path).ok().filter(|bytes| Digest::of(bytes) == digest))
    }
}

/// The folder of a path with `/` between folders.
fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

impl Default for Registries {
    fn default() -> Self {
        Self::over(Files::Disk)
    }
}

impl Registries {
    /// Registries that are read elsewhere than on the disk.
    pub(crate) fn over(files: Files) -> Self {
        let environment = Environment { files, ..Environment::of_process() };
        Self { environment, folders: RwLock::default(), broken: Mutex::default() }
    }

    /// The registry that is nearest above the files of a folder, within its repository.
    pub(super) fn of(&self, folder: &Path) -> Option<Arc<Around>> {
        let (mut found, mut passed, mut next) = (None, Vec::new(), Some(folder));
        while let Some(folder) = next {
            if let Some(known) = self.folders.read().unwrap_or_else(PoisonError::into_inner).get(folder.as_os_str()) {
                found.clone_from(known);
                break;
            }
            passed.push(OsString::from(folder));
            // What can't be read is told by the commands that need it.
            found = Around::read(&self.environment.files, folder.join(FILE_NAME)).ok().flatten().map(Arc::new);
            next = folder.parent().filter(|_| found.is_none() && !is_repository(folder));
        }
        if !passed.is_empty() {
            let mut folders = self.folders.write().unwrap_or_else(PoisonError::into_inner);
            folders.extend(passed.into_iter().map(|folder| (folder, found.clone())));
        }
        found
    }

    /// What the registry around a config says of it.
    pub(crate) fn findings(&self, seen: &Seen<'_>) -> Vec<Diagnostic> {
        let file = self.environment.plain(Path::new(seen.path));
        let Some(around) = file.parent().and_then(|folder| self.of(folder)) else { return Vec::new() };
        if !around.is_sound {
            let message = "the registry can't be used as it is, so that nothing was compared with it";
            let diagnostic =
                Diagnostic::new(&codes::INVALID_REGISTRY, message).help("`cfg registry verify` says what is wrong with it");
            self.broken.lock().unwrap_or_else(PoisonError::into_inner).insert(around.path.clone(), diagnostic);
            return Vec::new();
        }
        let Some(key) = place::key(&around.base, &file) else { return Vec::new() };
        let Some(index) = around.registry.index_of(&key) else {
            let is_beside = around.folders.contains(folder_of(&key));
            return is_beside.then(|| verify::unregistered(&place::shown(&file))).into_iter().collect();
        };
        let sha256 = Digest::of(seen.text.as_bytes());
        let held = Held { text: seen.text, sha256, metadata: seen.metadata, model: None, fingerprint: seen.fingerprint };
        let verified = verify::config(&around.registry, index, File::Held(&held), &|_| Object::NotAsked);
        let mut found: Vec<Diagnostic> = verified.of_file().collect();
        for diagnostic in &mut found {
            // The report of a config shows the config alone.
            diagnostic.related.retain(|related| related.location.file != REGISTRY_FILE);
        }
        found
    }

    /// The registries that could not be used, of the files asked for so far.
    pub(crate) fn broken(&self) -> Vec<(PathBuf, Diagnostic)> {
        let broken = self.broken.lock().unwrap_or_else(PoisonError::into_inner);
        broken.iter().map(|(path, diagnostic)| (path.clone(), diagnostic.clone())).collect()
    }

    /// The config that the one at `path` names: a registered version, or else the file itself where the version is the one that it states.
    pub(crate) fn other(&self, path: &str, reference: &str) -> Result<Other, String> {
        let file = self.environment.plain(Path::new(path));
        let around = file.parent().and_then(|folder| self.of(folder)).ok_or("there is no registry.json above it")?;
        let key = place::key(&around.base, &file);
        let found = around.find(reference, key.as_deref()).map_err(|unresolved| unresolved.message(&around.registry))?;
        let name = around.registry.name(found);
        let bytes = around.bytes(found).ok_or_else(|| format!("the text of {name} is not kept"))?;
        Ok(Other { path: name, bytes })
    }
}

/// A session that asks the registries around the configs.
pub(crate) fn asking(registries: &Arc<Registries>) -> Session {
    let (asked, others) = (Arc::clone(registries), Arc::clone(registries));
    crate::commands::session()
        .asking(move |seen| asked.findings(seen))
        .reading(move |path, reference| others.other(path, reference))
}

/// What the registry around a file says of its bytes, or else the one around the folder in which we are; nothing where there is none.
pub(crate) fn registered(path: &str) -> Option<Registered> {
    let file = place::absolute(Path::new(path)).ok()?;
    let digest = Digest::of(&Files::Disk.read(&file).ok()?);
    let near = || place::find(&std::env::current_dir().ok()?).ok()?;
    let around = Around::read(&Files::Disk, place::find(&file).ok()?.or_else(near)?).ok()??;
    if !around.is_sound {
        return None;
    }
    let registry = &around.registry;
    let is_it = |place: &Place| registry.entry(*place).sha256.as_ref().is_some_and(|known| known.value.parse() == Ok(digest));
    if let Some(place) = registry.places().find(is_it) {
        return Some(Registered::Is(registry.name(place)));
    }
    let index = place::key(&around.base, &file).and_then(|key| registry.index_of(&key));
    let current = index.and_then(|index| {
        let config = &registry.configs[index];
        Some(format!("{}:{}", config.path.value, config.current_entry()?.label.value))
    });
    let shown = around.path.strip_prefix(std::env::current_dir().unwrap_or_default()).unwrap_or(&around.path);
    Some(Registered::Unknown { file: path.to_owned(), registry: shown.display().to_string(), current })
}

/// The exact bytes of a registered version, with the registry that is nearest above the config.
pub(crate) fn version(path: &str, label: &str) -> Result<Vec<u8>, String> {
    let missing = || format!("{path}:{label}: no registry was found that has this version");
    let file = place::absolute(Path::new(path)).map_err(|error| error.to_string())?;
    let near = if file.parent().is_some_and(Path::is_dir) { file.clone() } else { std::env::current_dir().unwrap_or_default() };
    let found = place::find(&near).map_err(|error| error.to_string())?.ok_or_else(missing)?;
    let around = Around::read(&Files::Disk, found).map_err(|error| error.to_string())?.ok_or_else(missing)?;
    let key = place::key(&around.base, &file).filter(|key| around.registry.index_of(key).is_some());
    let reference = format!("{}:{label}", key.as_deref().unwrap_or(path));
    let found = around.find(&reference, None).map_err(|unresolved| unresolved.message(&around.registry))?;
    around.bytes(found).ok_or_else(|| format!("the text of {} is not kept", around.registry.name(found)))
}
