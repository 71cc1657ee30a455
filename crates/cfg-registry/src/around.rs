//! The registries around the checked files. Each folder is searched only once, and each registry is read only once. Nothing is
//! written, and no lock is taken.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError, RwLock},
};

use cfg_diag::{Diagnostic, FileId, codes};
use cfg_plan::Metadata;
use cfg_system::{PathMap, Role, System, folder_and_name, path_in};

use crate::{
    Registry,
    fingerprint::{Digest, Fingerprint},
    place,
    registry::{REGISTRY_FILE, Unresolved, VersionPlace, fault},
    store::{FILE_NAME, FOLDER, OBJECTS},
    verify::{self, File, Held, Lines, MAX_COMPARED, Object, StoredLines},
};

/// A checked config, to be compared with its registry.
pub struct Seen<'a> {
    /// Its path, as the user wrote it.
    pub path: &'a str,
    /// Its text.
    pub text: &'a str,
    /// Its metadata.
    pub metadata: &'a Metadata,
    /// Its meaning, if prime-rl accepts it.
    pub fingerprint: &'a dyn Fn() -> Option<Fingerprint>,
    /// The meaning of another text as this config, if prime-rl accepts it.
    pub fingerprint_of: &'a dyn Fn(&str) -> Option<Fingerprint>,
    /// The files around a folder that git has, but leaves out of the work tree.
    pub left_out: &'a dyn Fn(&Path) -> BTreeSet<PathBuf>,
}

/// A config that another one names.
pub struct Other {
    /// Its path, as shown in messages.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The registries that have been read so far.
#[derive(Debug)]
pub struct Registries {
    system: Arc<dyn System>,
    folders: RwLock<PathMap<Option<Arc<CachedRegistry>>>>,
    /// The registries by their paths: several threads may need one at the same time, and the first one reads it for all.
    read: Mutex<HashMap<PathBuf, Option<Arc<CachedRegistry>>>>,
    /// Findings of registries that can't be used, by the path of the registry.
    broken: Mutex<BTreeMap<PathBuf, (String, Diagnostic)>>,
}

/// A registry, read when it was first needed.
#[derive(Debug)]
pub struct CachedRegistry {
    /// Its path.
    pub path: PathBuf,
    /// The folder to which its paths are relative.
    pub base: PathBuf,
    /// Its contents.
    pub registry: Registry,
    /// Whether it has no errors, so that it can be used.
    pub is_sound: bool,
    /// The finding for a merge that is not finished in it.
    conflict: Option<Diagnostic>,
    system: Arc<dyn System>,
    /// The folders that contain registered configs.
    folders: HashSet<String>,
    /// See [`Self::gone`].
    gone: OnceLock<BTreeSet<usize>>,
    /// The texts of those that are gone.
    lines_of_gone: StoredLines,
}

impl CachedRegistry {
    /// Reads the registry at a path; `None` if there is none.
    ///
    /// # Errors
    ///
    /// If it can't be read.
    pub fn read(system: &Arc<dyn System>, path: PathBuf) -> io::Result<Option<Self>> {
        let bytes = system.read_if_there(&path, Role::Registry)?;
        Ok(bytes.and_then(|bytes| Self::with(system, path, &bytes)))
    }

    /// The registry at a path with these bytes; `None` if that is none of configs.
    fn with(system: &Arc<dyn System>, path: PathBuf, bytes: &[u8]) -> Option<Self> {
        let (registry, diagnostics) = Registry::read(&String::from_utf8_lossy(bytes));
        if !registry.is_one() && !system.is_folder(&path.with_file_name(FOLDER).join(OBJECTS)) {
            return None;
        }
        let base = place::base(&**system, &path, &registry);
        let folders = registry.configs.iter().map(|config| folder_of(&config.path.value).to_owned()).collect();
        let is_sound = fault(&diagnostics).is_none();
        let mut conflict = diagnostics.into_iter().find(|found| found.code == &codes::MERGE_CONFLICT);
        // It is reported with its own text.
        conflict.iter_mut().filter_map(|found| found.location.as_mut()).for_each(|at| at.file = FileId(0));
        Some(Self {
            system: Arc::clone(system),
            path,
            base,
            registry,
            folders,
            gone: OnceLock::new(),
            lines_of_gone: StoredLines::default(),
            is_sound,
            conflict,
        })
    }

    /// The version to which a reference in the config `from` refers.
    ///
    /// # Errors
    ///
    /// If there is no such version.
    pub fn find(&self, reference: &str, from: Option<&str>) -> Result<VersionPlace, Unresolved> {
        self.registry.resolve(reference, from)
    }

    /// The indices of the configs whose file is gone, although they are not marked as removed. `left_out` has the files that git leaves out of the
    /// work tree around a folder.
    fn gone(&self, left_out: &dyn Fn(&Path) -> BTreeSet<PathBuf>) -> &BTreeSet<usize> {
        self.gone.get_or_init(|| {
            let mut gone = place::gone(&*self.system, &self.base, &self.registry);
            if !gone.is_empty() {
                let left_out = left_out(&self.base);
                let file = |config: &usize| self.base.join(&*self.registry.configs[*config].path.value);
                gone.retain(|config| !left_out.contains(&*self.system.plain(&file(config))));
            }
            gone
        })
    }

    /// The stored text for a sha256.
    fn stored(&self, digest: &Digest) -> Option<Vec<u8>> {
        place::stored(&*self.system, &place::objects(&*self.system, &self.path), digest)
    }

    /// Where the text of a version is stored; `None` if the registry does not say which one it is.
    fn object(&self, place: VersionPlace) -> Option<PathBuf> {
        let digest: Digest = self.registry.entry(place).sha256.as_ref()?.value.parse().ok()?;
        Some(place::objects(&*self.system, &self.path).join(digest.to_string()))
    }

    /// Whether the text of a version is stored, whatever the file of its config has.
    pub fn is_kept(&self, place: VersionPlace) -> bool {
        self.object(place).is_some_and(|object| self.system.is_file(&object))
    }

    /// Whether the stored text of a version is one of these files, which are not in the work tree.
    pub fn is_left_out(&self, place: VersionPlace, left_out: &BTreeSet<PathBuf>) -> bool {
        self.object(place).is_some_and(|object| left_out.contains(&*self.system.plain(&object)))
    }

    /// The exact bytes of a version; `None` if they are not stored.
    pub fn bytes(&self, place: VersionPlace) -> Option<Vec<u8>> {
        let digest: Digest = self.registry.entry(place).sha256.as_ref()?.value.parse().ok()?;
        self.stored(&digest).or_else(|| {
            let file = self.base.join(&*self.registry.configs[place.config].path.value);
            self.system.read(&file, Role::Config).ok().filter(|bytes| Digest::of(bytes) == digest)
        })
    }
}

/// The folder of a path with `/` between folders.
fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

impl Registries {
    /// The registries on this system.
    pub fn new(system: Arc<dyn System>) -> Self {
        Self { system, folders: RwLock::default(), read: Mutex::default(), broken: Mutex::default() }
    }

    /// The nearest registry in or above a folder, within its repository.
    pub fn of(&self, folder: &Path) -> Option<Arc<CachedRegistry>> {
        let (mut found, mut passed) = (None, Vec::new());
        for folder in cfg_system::around(folder) {
            if let Some(known) = self.folders.read().unwrap_or_else(PoisonError::into_inner).get(folder.as_os_str()) {
                found.clone_from(known);
                break;
            }
            passed.push(OsString::from(folder));
            let path = path_in(folder, FILE_NAME);
            found = match self.at(&path) {
                Ok(around) => around,
                Err(error) => {
                    let message = format!("the registry can't be read, so nothing was compared with it: {error}");
                    self.add_broken(path, String::new(), Diagnostic::new(&codes::INVALID_REGISTRY, message));
                    None
                }
            };
            if found.is_some() || self.system.is_repository(folder) {
                break;
            }
        }
        if !passed.is_empty() {
            let mut folders = self.folders.write().unwrap_or_else(PoisonError::into_inner);
            folders.extend(passed.into_iter().map(|folder| (folder, found.clone())));
        }
        found
    }

    /// The registry at a path.
    fn at(&self, path: &Path) -> io::Result<Option<Arc<CachedRegistry>>> {
        let Some(bytes) = self.system.read_if_there(path, Role::Registry)? else { return Ok(None) };
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || CachedRegistry::with(&self.system, path.to_owned(), &bytes).map(Arc::new);
        Ok(read.entry(path.to_owned()).or_insert_with(new).clone())
    }

    fn add_broken(&self, path: PathBuf, text: String, diagnostic: Diagnostic) {
        self.broken.lock().unwrap_or_else(PoisonError::into_inner).insert(path, (text, diagnostic));
    }

    /// The findings about a config from the registry around it.
    pub fn findings(&self, seen: &Seen<'_>) -> Vec<Diagnostic> {
        let file = self.system.plain(Path::new(seen.path));
        let Some(around) = folder_and_name(&file).and_then(|(folder, _)| self.of(folder)) else { return Vec::new() };
        if !around.is_sound {
            let message = "the registry is invalid, so nothing was compared with it";
            let invalid = || Diagnostic::new(&codes::INVALID_REGISTRY, message).help("run `cfg registry verify` for details");
            let (text, diagnostic) = match &around.conflict {
                Some(conflict) => (around.registry.text.clone(), conflict.clone()),
                None => (String::new(), invalid()),
            };
            self.add_broken(around.path.clone(), text, diagnostic);
            return Vec::new();
        }
        let Some(key) = place::key(&around.base, &file) else { return Vec::new() };
        let Some(index) = around.registry.index_of(&key) else {
            if let Some(renamed) = self.renamed(&around, &file, seen) {
                return vec![renamed];
            }
            let is_beside = around.folders.contains(folder_of(&key));
            return is_beside.then(|| verify::unregistered(&self.system.shown(&file))).into_iter().collect();
        };
        let sha256 = around.registry.digest_of(seen.text.as_bytes());
        let stored = |sha256: &Digest| String::from_utf8(around.stored(sha256)?).ok();
        let Seen { text, metadata, fingerprint, fingerprint_of, .. } = *seen;
        let held = Held { text, sha256, metadata, model: None, fingerprint, stored: &stored, fingerprint_of };
        let verified = verify::config(&around.registry, index, File::Held(&held), &|_| Object::NotAsked);
        let mut found: Vec<Diagnostic> = verified.of_file().collect();
        for diagnostic in &mut found {
            // The findings about a config show only that config, and not the registry.
            diagnostic.related.retain(|related| related.location.file != REGISTRY_FILE);
        }
        found
    }

    /// The finding for an unregistered config that has the text of a registered one whose file is gone, or was edited from it.
    fn renamed(&self, around: &CachedRegistry, file: &Path, seen: &Seen<'_>) -> Option<Diagnostic> {
        let registry = &around.registry;
        let gone = around.gone(seen.left_out);
        if gone.is_empty() {
            return None;
        }
        let sha256 = registry.digest_of(seen.text.as_bytes()).to_string();
        let is_it = |place: &VersionPlace| registry.entry(*place).sha256.as_ref().is_some_and(|known| *known.value == *sha256);
        let found = |config: usize, version: &str, is_edited: bool| {
            let path = &*registry.configs[config].path.value;
            let old = self.system.shown(&around.base.join(path));
            verify::renamed(&self.system.shown(file), &format!("{path}:{version}"), &old, is_edited)
        };
        if let Some(place) = registry.places().find(|place| is_it(place) && gone.contains(&place.config)) {
            return Some(found(place.config, &registry.entry(place).label.value, false));
        }
        // A config that only resembles another one is a new one, and only its metadata show more.
        if seen.metadata.version.is_none() || seen.metadata.notes.is_none() {
            return None;
        }
        let lines = Lines::of(seen.text);
        let edited = gone.iter().take(MAX_COMPARED).filter_map(|config| {
            let (of, stored) = (&registry.configs[*config], &around.lines_of_gone);
            let edited = verify::edited_from(of, &lines, seen.metadata, stored, &|digest| around.stored(digest))?;
            edited.is_certain.then_some((*config, edited))
        });
        let (config, edited) = edited.max_by_key(|(_, edited)| edited.likeness)?;
        Some(found(config, &edited.entry.label.value, true))
    }

    /// The registries that could not be used for the files that have been checked so far: the path of each, the text to which the finding refers,
    /// if it has a place, and the finding.
    pub fn broken(&self) -> Vec<(PathBuf, String, Diagnostic)> {
        let broken = self.broken.lock().unwrap_or_else(PoisonError::into_inner);
        broken.iter().map(|(path, (text, diagnostic))| (path.clone(), text.clone(), diagnostic.clone())).collect()
    }

    /// The config to which a reference in the one at `path` refers: a registered version, or else the file itself if it
    /// states that version.
    ///
    /// # Errors
    ///
    /// Why it is not available, as a sentence.
    pub fn other(&self, path: &str, reference: &str) -> Result<Other, String> {
        let file = self.system.plain(Path::new(path));
        let around = file.parent().and_then(|folder| self.of(folder)).ok_or("no registry.json found in its folder or above")?;
        let key = place::key(&around.base, &file);
        let found = around.find(reference, key.as_deref()).map_err(|unresolved| unresolved.message(&around.registry))?;
        let name = around.registry.name(found);
        let bytes = around.bytes(found).ok_or_else(|| format!("the text of {name} is missing"))?;
        Ok(Other { path: name, bytes })
    }
}
