//! The endpoints that an evaluation names, looked up in its registry.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use cfg_diag::{Applicability, Diagnostic, Edit, FileId, Location, Severity, codes};
use cfg_resolve::nearest;
use cfg_syntax::{Dialect, Entry, Value};
use cfg_system::{Refusal, Role, Scope, System};

use super::{endpoints, table::At, used::Used};

/// The maximum number of registries that are read for one file.
const MAX_REGISTRIES: usize = 16;

/// The maximum number of endpoints that a message lists if none is similar.
const FEW: usize = 8;

/// The registries that the evaluations of a file name, each read once.
pub(super) struct Registries<'a> {
    system: &'a dyn System,
    used: &'a Used,
    /// The path of the evaluations.
    path: &'a str,
    known: BTreeMap<PathBuf, Arc<Registry>>,
}

/// The state of a registry.
enum Registry {
    /// Unknown, because it can't be read here.
    Unknown,
    /// The file does not exist.
    Absent,
    /// It is not a TOML registry; the text is the reason.
    Unusable(&'static str),
    /// The loader drops the whole registry; the text is the reason.
    Dropped(String),
    /// The models of each endpoint.
    Read(BTreeMap<String, BTreeSet<String>>),
}

impl<'a> Registries<'a> {
    pub(super) const fn new(system: &'a dyn System, used: &'a Used, path: &'a str) -> Self {
        Self { system, used, path, known: BTreeMap::new() }
    }

    /// The errors in the endpoints that an evaluation names, in its own table or through the root.
    pub(super) fn check(&mut self, root: &At<'_>, entry: &At<'_>) -> Vec<Diagnostic> {
        let sweep = entry.below("sweep");
        let mut found = Vec::new();
        // The default is relative to the folder where the command runs, which is unknown.
        let Some((_, path)) = of_all(root, entry, "endpoints_path").filter(|_| self.path != "-") else { return found };
        let Some(path) = path.value.as_str() else { return found };
        let registry = self.registry(path);
        let is_swept = |key: &str| sweep.as_ref().is_some_and(|sweep| sweep.table.get(key).is_some());
        let mut named = |at: &At<'_>, named: &Entry, value: &Value| {
            found.extend(value.as_str().filter(|text| !text.is_empty()).and_then(|_| finding(&registry, path, at, named, value)));
        };
        match of_all(root, entry, "endpoint_id") {
            _ if is_swept("endpoint_id") => {
                let swept = sweep.as_ref().and_then(|sweep| Some((sweep, sweep.given("endpoint_id")?)));
                if let Some((at, entry)) = swept {
                    entry.value.items().iter().for_each(|value| named(at, entry, value));
                }
            }
            // A model in an entry replaces the endpoint of the root.
            Some((at, id)) if !is_swept("model") && (!at.key.is_empty() || entry.table.get("model").is_none()) => {
                named(at, id, &id.value);
            }
            _ => {}
        }
        found
    }

    fn registry(&mut self, path: &str) -> Arc<Registry> {
        let folder = Path::new(self.path).parent().unwrap_or(Path::new(""));
        let file = self.system.absolute(&folder.join(path));
        if let Some(known) = self.known.get(&file) {
            return Arc::clone(known);
        }
        if self.known.len() >= MAX_REGISTRIES {
            return Arc::new(Registry::Unknown);
        }
        let read = Arc::new(self.read(file.clone()));
        self.known.insert(file, Arc::clone(&read));
        read
    }

    fn read(&self, mut file: PathBuf) -> Registry {
        // Outside the repository, not even the existence of a path is tested.
        match self.system.list(&file, Scope::Inside) {
            Ok(entries) => {
                let has = |name: &str| entries.iter().any(|entry| entry.name == name);
                if !has("endpoints.toml") && has("endpoints.py") {
                    return Registry::Unusable("there is only an `endpoints.py`, which is no longer read");
                }
                file = file.join("endpoints.toml");
            }
            Err(error) if Refusal::of(&error).is_some() => return Registry::Unknown,
            Err(_) => {}
        }
        if file.extension().is_none_or(|ending| ending != "toml") {
            return Registry::Unusable("the registry must be a TOML file");
        }
        let text = match self.system.read_if_there(&file, Role::Config) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Registry::Absent,
            Err(_) => return Registry::Unknown,
        };
        let Ok(text) = String::from_utf8(text) else { return Registry::Dropped("it is not UTF-8".to_owned()) };
        let (document, faults) = cfg_syntax::parse(FileId(0), &text, Dialect::Toml11);
        if cfg_compose::too_many_values(&document, &text).is_some() {
            return Registry::Unknown;
        }
        if let Some(fault) = faults.first() {
            return Registry::Dropped(fault.message.clone());
        }
        let refused = endpoints::check(FileId(0), self.used, &document.root);
        if let Some(refused) = refused.into_iter().find(|found| found.code == &codes::REFUSED_ENDPOINT) {
            return Registry::Dropped(refused.message);
        }
        let mut models: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for endpoint in At::root(FileId(0), &document.root).items("endpoint") {
            let text = |key: &str| endpoint.table.value(key).and_then(Value::as_str).map(str::to_owned);
            if let Some((id, model)) = text("endpoint_id").zip(text("model")) {
                models.entry(id).or_default().insert(model);
            }
        }
        Registry::Read(models)
    }
}

/// A key of an evaluation, or else of the root.
fn of_all<'a, 't>(root: &'a At<'t>, entry: &'a At<'t>, key: &str) -> Option<(&'a At<'t>, &'t Entry)> {
    match entry.table.get(key) {
        Some(_) => entry.given(key).map(|given| (entry, given)),
        None => root.given(key).map(|given| (root, given)),
    }
}

/// The error for an endpoint that is named but can't be used.
fn finding(registry: &Registry, path: &str, at: &At<'_>, entry: &Entry, value: &Value) -> Option<Diagnostic> {
    let name = value.as_str()?;
    let location = Location::new(at.file, value.span);
    let wrong = |message: String| {
        let mut found = at.refused(entry, message);
        (found.code, found.location) = (&codes::UNKNOWN_ENDPOINT, Some(location));
        found
    };
    Some(match registry {
        Registry::Unknown => return None,
        Registry::Absent => {
            let mut found = wrong(format!("`{name}` can't be looked up: the registry {path} does not exist"));
            // The file may be kept out of the repository, because it names the variables of API keys.
            (found.severity, found.native) = (Severity::Warning, None);
            found.help("`endpoints_path` is relative to this file")
        }
        Registry::Unusable(why) => wrong(format!("`{name}` can't be looked up in {path}: {why}")),
        Registry::Dropped(why) => {
            wrong(format!("verifiers finds no endpoint `{name}`: it drops the registry {path}")).help(format!("there, {why}"))
        }
        Registry::Read(models) => match models.get(name) {
            Some(models) if models.len() < 2 => return None,
            Some(models) => {
                let models: Vec<&str> = models.iter().map(String::as_str).collect();
                wrong(format!("`{name}` names several models in {path}: {}", models.join(", ")))
                    .help("give each model its own `endpoint_id`")
            }
            None => {
                let found = wrong(format!("{path} has no endpoint `{name}`")).label("unknown endpoint");
                let names: Vec<&str> = models.keys().map(String::as_str).collect();
                match nearest(name, names.iter().copied()) {
                    Some(near) => {
                        let edit = Edit { location, new_text: format!("{near:?}") };
                        found.help(format!("did you mean `{near}`?")).fix(format!("write {near:?}"), Applicability::Unsafe, edit)
                    }
                    None if names.is_empty() => found.help("it has no endpoints"),
                    None if names.len() <= FEW => found.help(format!("it has {}", names.join(", "))),
                    None => found.help(format!("it has {} others", names.len())),
                }
            }
        },
    })
}
