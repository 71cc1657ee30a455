//! The packages of environments in any folder of a project. Other modules of the same name are not taken for them: an environment has a function that
//! loads it, or uses verifiers.

use cfg_diag::Order as _;
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use cfg_python::package_name;
use cfg_system::{Entry, Kind, Role, Scope, System};

use crate::target::NEVER;

/// How many folders deep a package may be in a project.
const DEPTH: usize = 5;

/// The maximum number of folders of a project that are looked at.
const MAX_FOLDERS: usize = 1024;

/// The maximum number of modules of a package that are read to see whether it is an environment.
const MAX_MODULES: usize = 32;

/// The modules in the folders of projects, by the root of the project. Each project is searched when an environment was not found elsewhere.
#[derive(Debug, Default)]
pub(crate) struct Modules(Mutex<HashMap<PathBuf, Arc<OnceLock<ByName>>>>);

/// The folders that have a module or package of each name.
type ByName = HashMap<String, Vec<PathBuf>>;

impl Modules {
    /// The folder in a project that contains the module with the environment of an id; `None` if there is none, or if several may be meant.
    pub(super) fn find(&self, system: &dyn System, root: &Path, id: &str, module: &str) -> Option<PathBuf> {
        let slot = {
            let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(known.entry(root.to_owned()).or_default())
        };
        let folders = slot.get_or_init(|| search(system, root)).get(module)?;
        let all: Vec<&PathBuf> = folders.iter().filter(|folder| is_environment(system, folder, module)).collect();
        let named: Vec<&PathBuf> = all.iter().copied().filter(|folder| is_named(system, folder, root, id)).collect();
        match (&named[..], &all[..]) {
            ([only], _) | ([], [only]) => Some((*only).clone()),
            _ => None,
        }
    }
}

/// The modules in the folders of a project. What is inside a package is a part of it, and not a package itself.
fn search(system: &dyn System, root: &Path) -> ByName {
    let mut found = ByName::new();
    let mut layer = vec![root.to_owned()];
    let mut left = MAX_FOLDERS;
    for _ in 0..DEPTH {
        let mut below = Vec::new();
        for folder in layer {
            let Some(rest) = left.checked_sub(1) else { return found };
            left = rest;
            let mut entries = system.list(&folder, Scope::Inside).unwrap_or_default();
            if entries.iter().any(|entry| entry.name == "__init__.py") {
                continue;
            }
            entries.order_by(|one, other| one.name.cmp(&other.name));
            for (name, is_folder) in entries.iter().filter_map(module) {
                found.entry(name.to_owned()).or_default().push(folder.clone());
                if is_folder && !NEVER.contains(&name) {
                    below.push(folder.join(name));
                }
            }
        }
        layer = below;
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

/// Whether the distribution around a module has the name of the id: by the nearest `pyproject.toml` below the root of the project.
fn is_named(system: &dyn System, folder: &Path, root: &Path, id: &str) -> bool {
    let below = cfg_system::around(folder).take_while(|above| *above != root);
    let nearest = below.map(|above| above.join("pyproject.toml")).find_map(|path| system.text(&path, Role::Project));
    let name = nearest.and_then(|text| {
        let (parsed, _) = toml::de::DeTable::parse_recoverable(&text);
        let project = parsed.get_ref().get("project")?.get_ref().as_table()?.get("name")?.get_ref().as_str()?.to_owned();
        Some(project)
    });
    let plain = |name: &str| name.to_lowercase().replace(['_', '.'], "-");
    name.is_some_and(|name| plain(&name) == plain(package_name(id)))
}
