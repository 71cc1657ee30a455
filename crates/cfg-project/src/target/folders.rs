//! A prime-rl in a folder of the project that nothing else names: a clone or a copy, such as `prime-rl/` beside the configs.

use std::{
    cmp::Reverse,
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use cfg_system::{Entry, Kind, Role, Scope, System};

use super::{Detection, TargetSource, checkout, installed, own::is_package, pyproject, reference, uv_lock};
use crate::folder::Folder;

/// How many folders deep it may be in a project.
const DEPTH: usize = 3;

/// The maximum number of folders of a project that are looked at.
const MAX_FOLDERS: usize = 512;

/// The maximum number of folders in one that are looked at: more are data.
const MAX_BESIDE: usize = 256;

/// Folders in which nobody keeps a prime-rl or the package of an environment, and that can have many others.
pub(crate) const NEVER: [&str; 8] =
    ["node_modules", "site-packages", "__pycache__", "wandb", "outputs", "checkpoints", "venv", "target"];

/// The name of a folder with prime-rl beside configs that are in no project.
const NAME: &str = "prime-rl";

/// The names of a file and of folders that a prime-rl has.
const MARKS: [&str; 4] = ["pyproject.toml", "src", "packages", "prime_rl"];

/// The prime-rls in the folders of projects, by the root of the project.
#[derive(Debug, Default)]
pub(crate) struct Found(Mutex<HashMap<PathBuf, Slot>>);

/// The prime-rls of one project, searched once.
type Slot = Arc<OnceLock<Vec<PathBuf>>>;

impl Found {
    fn of(&self, root: &Path) -> Slot {
        Arc::clone(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(root.to_owned()).or_default())
    }
}

/// The prime-rl in a folder below this one, if there is one that is nearer than all others. If the project says where its prime-rl is from, or has one in
/// its environment, it is that one; a version alone says less than sources.
pub(super) fn detect(folder: &Folder) -> Option<Detection> {
    let system = folder.system().with_untracked().unwrap_or(folder.system());
    let in_project = folder.root().and_then(|root| {
        let found = folder.shared().found.of(root.path());
        nearest(found.get_or_init(|| search(system, root.path())), folder.path()).map(Path::to_owned)
    });
    // Where nothing marks a project, what is directly beside the configs belongs to them.
    let is_marked = || folder.ancestors().any(|above| above.is_repository() || above.pyproject().is_some());
    let beside = || if is_marked() { None } else { beside(system, folder.path()) };
    let nearest = in_project.or_else(beside)?;
    let top = folder.root().map_or(folder.path(), Folder::path);
    let around = || folder.ancestors().take_while(|above| above.path().starts_with(top));
    let stated = around().find_map(|folder| uv_lock::of_source(folder).or_else(|| pyproject::of_sources(folder)));
    if let Some(Ok(stated)) = stated {
        return Some(Ok(stated));
    }
    match around().find_map(installed::detect) {
        // One that is installed from a folder is used as it is there.
        Some(installed) => Some(installed).filter(is_folder),
        None => checkout::copy(folder, system, &nearest),
    }
}

fn is_folder(found: &Detection) -> bool {
    matches!(found, Ok(found) if matches!(found.source, TargetSource::GitCheckout { .. }))
}

/// The one of these folders that is the fewest steps below another; of several, the one that is named prime-rl.
fn nearest<'f>(found: &'f [PathBuf], folder: &Path) -> Option<&'f Path> {
    let steps = |path: &Path| path.strip_prefix(folder).ok().map(|below| below.components().count());
    let fewest = found.iter().filter_map(|path| steps(path)).min()?;
    let nearest: Vec<&Path> = found.iter().map(PathBuf::as_path).filter(|path| steps(path) == Some(fewest)).collect();
    let is_named = |path: &&&Path| path.file_name().is_some_and(|name| reference::is_prime_rl(&name.to_string_lossy()));
    match nearest[..] {
        [only] => Some(only),
        _ => {
            let mut named = nearest.iter().filter(is_named);
            named.next().filter(|_| named.next().is_none()).copied()
        }
    }
}

/// The prime-rls in a project, which may be one itself under another name. What is in another repository in it, or in one of the prime-rls, is not
/// looked for.
fn search(system: &dyn System, root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut layer = vec![root.to_owned()];
    let mut left = MAX_FOLDERS;
    for level in 0..=DEPTH {
        let mut below = Vec::new();
        for folder in layer {
            let Some(rest) = left.checked_sub(1) else { return found };
            left = rest;
            let Ok(entries) = system.list(&folder, Scope::Inside) else {
                found.extend(beside(system, &folder));
                continue;
            };
            if is_prime_rl(system, &folder, &entries) {
                found.push(folder);
            } else if level < DEPTH && (level == 0 || !entries.iter().any(|entry| entry.name == ".git")) {
                below.extend(folders(&folder, entries));
            }
        }
        layer = below;
    }
    found
}

/// The folder with its name in one that the user named, or in the working folder.
fn beside(system: &dyn System, folder: &Path) -> Option<PathBuf> {
    let path = Some(folder.join(NAME)).filter(|path| system.is_folder(path))?;
    let is_it = match system.list(&path, Scope::Inside) {
        Ok(entries) => is_prime_rl(system, &path, &entries),
        Err(_) => folder == system.host().folder() && system.may_look(folder) && is_package(system, &path),
    };
    is_it.then_some(path)
}

/// The folders in one that may be, or contain, a prime-rl: those with its name first.
fn folders(folder: &Path, entries: Vec<Entry>) -> Vec<PathBuf> {
    let names = entries.into_iter().filter(|entry| entry.kind == Kind::Folder).filter_map(|entry| entry.name.into_string().ok());
    let is_meant = |name: &String| !name.starts_with('.') && !NEVER.contains(&&**name);
    let mut names: Vec<String> = names.filter(is_meant).collect();
    names.sort_by_cached_key(|name| (Reverse(name.to_lowercase().contains("prime")), name.clone()));
    names.into_iter().take(MAX_BESIDE).map(|name| folder.join(name)).collect()
}

/// Whether a folder with these entries is a prime-rl, by its `pyproject.toml` or its package.
fn is_prime_rl(system: &dyn System, folder: &Path, entries: &[Entry]) -> bool {
    let has = |name: &str| entries.iter().any(|entry| entry.name == name);
    if !MARKS.into_iter().any(has) {
        return false;
    }
    let is_named = || {
        let text = system.text(&folder.join(MARKS[0]), Role::Project);
        text.is_some_and(|text| checkout::is_prime_rl_itself(&text))
    };
    has(MARKS[0]) && is_named() || MARKS[1..].iter().any(|name| has(name)) && is_package(system, folder)
}
