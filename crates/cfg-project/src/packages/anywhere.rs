//! The packages of environments in any folder of a project. Other modules of the same name are not taken for them: an environment has a function that
//! loads it, or uses verifiers.

use cfg_diag::Order as _;
use std::{
    collections::HashMap,
    ffi::OsStr,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use cfg_meter::{Spent, charge};
use cfg_python::package_name;
use cfg_system::{Entry, Kind, PathMap, Role, Scope, System};

use crate::target::NEVER;

/// How many folders deep a package may be in a project.
const DEPTH: usize = 5;

/// The maximum number of folders of a project that are looked at.
const MAX_FOLDERS: usize = 1024;

/// The maximum number of modules of a package that are read to see whether it is an environment.
const MAX_MODULES: usize = 32;

/// What looking at a folder that has a module of a name costs, in units of the meter.
const OF_A_FOLDER: u64 = 100;

/// The modules in the folders of projects, by the root of the project. Each project is searched when an environment was not found elsewhere.
#[derive(Debug, Default)]
pub(crate) struct Modules(Mutex<HashMap<PathBuf, Arc<OfProject>>>);

/// The folders that have a module or package of each name.
pub(super) type ByName = PathMap<Vec<PathBuf>>;

/// The modules of one project.
#[derive(Debug, Default)]
struct OfProject {
    by_name: OnceLock<ByName>,
    /// The folders whose module of a name is an environment.
    environments: Mutex<HashMap<String, Arc<[PathBuf]>>>,
    /// The names of distributions, by the paths of their `pyproject.toml`; `None` where there is no name.
    names: Mutex<HashMap<PathBuf, Option<String>>>,
}

impl Modules {
    /// The folder in a project that contains the module with the environment of an id; `None` if there is none, or if several may be meant.
    ///
    /// # Errors
    /// Looking for it takes too much.
    pub(super) fn find(&self, system: &dyn System, root: &Path, id: &str, module: &str) -> Result<Option<PathBuf>, Spent> {
        let project = {
            let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(known.entry(root.to_owned()).or_default())
        };
        let all = project.environments(system, root, module)?;
        charge(OF_A_FOLDER * all.len() as u64)?;
        let named: Vec<&PathBuf> = all.iter().filter(|folder| project.is_named(system, folder, root, id)).collect();
        Ok(match (&named[..], &all[..]) {
            ([only], _) => Some((*only).clone()),
            ([], [only]) => Some(only.clone()),
            _ => None,
        })
    }
}

impl OfProject {
    /// The folders whose module of this name is an environment.
    fn environments(&self, system: &dyn System, root: &Path, module: &str) -> Result<Arc<[PathBuf]>, Spent> {
        let Some(folders) = self.by_name.get_or_init(|| search(system, root)).get(OsStr::new(module)) else {
            return Ok(Arc::default());
        };
        if let Some(known) = self.environments.lock().unwrap_or_else(PoisonError::into_inner).get(module) {
            return Ok(Arc::clone(known));
        }
        charge(OF_A_FOLDER * folders.len() as u64)?;
        let found: Arc<[PathBuf]> = folders.iter().filter(|folder| is_environment(system, folder, module)).cloned().collect();
        self.environments.lock().unwrap_or_else(PoisonError::into_inner).insert(module.to_owned(), Arc::clone(&found));
        Ok(found)
    }

    /// Whether the distribution around a module has the name of the id: by the nearest `pyproject.toml` below the root of the project.
    fn is_named(&self, system: &dyn System, folder: &Path, root: &Path, id: &str) -> bool {
        let mut below = cfg_system::around(folder).take_while(|above| *above != root).map(|above| above.join("pyproject.toml"));
        let nearest = below.find(|path| system.is_file(path));
        let plain = |name: &str| name.to_lowercase().replace(['_', '.'], "-");
        nearest.and_then(|path| self.name(system, path)).is_some_and(|name| plain(&name) == plain(package_name(id)))
    }

    /// The name of the distribution in a `pyproject.toml`, if it states one.
    fn name(&self, system: &dyn System, path: PathBuf) -> Option<String> {
        if let Some(known) = self.names.lock().unwrap_or_else(PoisonError::into_inner).get(&path) {
            return known.clone();
        }
        let text = system.text(&path, Role::Project).unwrap_or_default();
        let (parsed, _) = toml::de::DeTable::parse_recoverable(&text);
        let project = parsed.get_ref().get("project").and_then(|project| project.get_ref().as_table());
        let name = project.and_then(|project| project.get("name")).and_then(|name| name.get_ref().as_str()).map(str::to_owned);
        self.names.lock().unwrap_or_else(PoisonError::into_inner).insert(path, name.clone());
        name
    }
}

/// The modules in the folders of a project. What is inside a package is a part of it, and not a package itself.
fn search(system: &dyn System, root: &Path) -> ByName {
    let mut found = ByName::default();
    let mut layer = vec![root.to_owned()];
    let mut left = MAX_FOLDERS;
    for _ in 0..DEPTH {
        let mut below = Vec::new();
        for folder in layer {
            let Some(rest) = left.checked_sub(1) else { return found };
            left = rest;
            let entries = system.entries(&folder, Scope::Inside).unwrap_or_default();
            if entries.iter().any(|entry| entry.name == "__init__.py") {
                continue;
            }
            let mut modules: Vec<(&str, bool)> = entries.iter().filter_map(module).collect();
            modules.order_by(|(one, _), (other, _)| one.cmp(other));
            for (name, is_folder) in modules {
                found.entry(name.into()).or_default().push(folder.clone());
                if is_folder && !NEVER.contains(&name) {
                    below.push(folder.join(name));
                }
            }
        }
        layer = below;
    }
    found
}

/// The names of modules and packages that these folders may have, links included, with the folders in their order: each is listed once.
pub(super) fn names<'a>(system: &dyn System, folders: impl IntoIterator<Item = &'a PathBuf>) -> ByName {
    let mut found = ByName::default();
    for folder in folders {
        for entry in &*system.entries(folder, Scope::Inside).unwrap_or_default() {
            let name = match entry.kind {
                Kind::Link => entry.name.to_str().map(|name| name.strip_suffix(".py").unwrap_or(name)),
                _ => module(entry).map(|(name, _)| name),
            };
            if let Some(name) = name {
                found.entry(name.into()).or_default().push(folder.clone());
            }
        }
    }
    found
}

/// The name of the module that an entry of a folder may be, and whether it is a folder.
fn module(entry: &Entry) -> Option<(&str, bool)> {
    let name = entry.name.to_str().filter(|name| !name.starts_with('.'))?;
    match entry.kind {
        Kind::Folder => Some((name, true)),
        Kind::File => Some((name.strip_suffix(".py")?, false)),
        Kind::Link | Kind::Other => None,
    }
}

/// Whether the module in a folder is an environment.
fn is_environment(system: &dyn System, folder: &Path, module: &str) -> bool {
    let shows = |path: &Path| {
        let text = system.text(path, Role::Source).unwrap_or_default();
        let is_import =
            |line: &str| ["import verifiers", "from verifiers"].iter().any(|import| line.trim_start().starts_with(import));
        text.contains("load_environment") || text.lines().any(is_import)
    };
    let package = folder.join(module);
    if !system.is_file(&package.join("__init__.py")) {
        return shows(&package.with_extension("py"));
    }
    let entries = system.list(&package, Scope::Inside).unwrap_or_default().into_iter().filter(|entry| entry.kind == Kind::File);
    let mut modules: Vec<PathBuf> = entries.map(|entry| package.join(entry.name)).collect();
    modules.retain(|path| path.extension().is_some_and(|ending| ending == "py"));
    modules.sort();
    modules.iter().take(MAX_MODULES).any(|path| shows(path))
}
