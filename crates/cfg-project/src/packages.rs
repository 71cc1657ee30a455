//! The packages around a config whose classes prime-rl finds by an `id`: read from their sources when they are first needed.

mod anywhere;
mod recorded;
pub(crate) mod workspace;

use std::{
    collections::HashMap,
    ffi::OsStr,
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use cfg_meter::{Spent, charge, is_spent};
use cfg_python::{Packaged, environment_module, module_name, package_name, read_arguments, read_environment, read_package};
use cfg_schema::{EnvironmentArgs, Node, PackageClass, Packages, Point, Role, Unread};
use cfg_system::{Role as FileRole, System, path_in};

use self::recorded::Pinned;
use crate::{
    folder::{Folder, Shared},
    target,
};

use anywhere::ByName;
pub(crate) use anywhere::Modules;

/// The folders that contain the packages of environments, relative to the project.
const HOMES: [&str; 4] =
    ["environments", "deps/verifiers/environments", "deps/prime-envs/environments", "deps/research-environments/environments"];

/// What looking for a module in a folder costs, in units of the meter, and what each byte of the folder's path adds: the system walks along it.
const OF_A_FOLDER: u64 = 200;
const OF_A_BYTE: u64 = 4;

/// The packages around the configs of a folder that were read.
pub(crate) struct FolderPackages {
    system: Arc<dyn System>,
    /// The existing folders with packages, the nearest first: each package is a folder in one of them.
    homes: Vec<PathBuf>,
    /// The folder and those above it in its project, the nearest first, each after its `src` if it has one. They may directly contain modules.
    sources: Vec<PathBuf>,
    /// The folders in which Python looks for installed packages.
    libraries: Vec<PathBuf>,
    /// The packages in `homes`, and the modules and packages in `sources`: whatever number of environments is looked for, each folder is listed once.
    in_homes: OnceLock<ByName>,
    in_sources: OnceLock<ByName>,
    /// The modules of the members of the uv workspace around the folder, searched for when a package is not found in the folders above.
    members: OnceLock<ByName>,
    pinned: Pinned,
    /// The folder itself and those above it in its project.
    folders: Vec<PathBuf>,
    /// The root of the project, if there is one.
    root: Option<PathBuf>,
    shared: Arc<Shared>,
    known: Mutex<HashMap<Wanted, Result<Option<PackageClass>, Unread>>>,
    /// The arguments of environments, by id.
    arguments: Mutex<HashMap<String, Result<Arc<EnvironmentArgs>, Unread>>>,
}

/// The key of a class: a role and an id, or a taskset whose environment is needed; the field that gets the class, and the point.
type Wanted = (Option<Role>, String, Node, Point);

impl fmt::Debug for FolderPackages {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("FolderPackages").field("sources", &self.sources).finish_non_exhaustive()
    }
}

impl FolderPackages {
    /// The packages around a folder.
    pub(crate) fn around(folder: &Folder, system: Arc<dyn System>) -> Self {
        let folders: Vec<PathBuf> = if folder.is_in_project() {
            folder.ancestors_in_repository().map(|folder| folder.path().to_owned()).collect()
        } else {
            Vec::new()
        };
        let mut libraries: Vec<PathBuf> =
            folders.iter().flat_map(|folder| target::libraries(&*system, &folder.join(".venv"))).collect();
        // The project's prime-rl is not detected if the config may state another one, because detection may read many files.
        libraries.extend(folders.iter().find_map(|folder| target::roots(&*system, folder)).unwrap_or_default());
        for folder in &folders {
            let verifiers = folder.join("deps/verifiers");
            libraries.extend(Some(verifiers).filter(|folder| system.is_folder(&folder.join("verifiers"))));
        }
        let homes = folders.iter().flat_map(|folder| HOMES.iter().map(move |home| folder.join(home)));
        let homes = homes.filter(|home| system.is_folder(home)).collect();
        let sources = folders.iter().flat_map(|folder| with_src(&*system, folder.clone())).collect();
        let pinned = Pinned::around(folders.clone());
        let (root, shared) = (folder.root().map(|root| root.path().to_owned()), Arc::clone(folder.shared()));
        Self {
            system,
            homes,
            sources,
            libraries,
            in_homes: OnceLock::new(),
            in_sources: OnceLock::new(),
            members: OnceLock::new(),
            pinned,
            folders,
            root,
            shared,
            known: Mutex::default(),
            arguments: Mutex::default(),
        }
    }

    /// The folders in which Python looks for the package of an id, whose module has this name, and for the modules that it imports.
    ///
    /// # Errors
    /// Looking for it takes too much.
    fn roots(&self, id: &str, module: &str) -> Result<Vec<PathBuf>, Unread> {
        if !is_plain(module) {
            return Ok(Vec::new());
        }
        let holding = |mut folders: &mut dyn Iterator<Item = PathBuf>| -> Result<Option<PathBuf>, Unread> {
            for root in &mut folders {
                charge(cost(&root)).map_err(|_| too_much())?;
                let path = root.join(module);
                if self.system.is_file(&path.with_extension("py")) || self.system.is_file(&path.join("__init__.py")) {
                    return Ok(Some(root));
                }
            }
            Ok(None)
        };
        let mut named = vec![module];
        named.extend(Some(package_name(id)).filter(|name| *name != module && is_plain(name)));
        let in_homes = self.in_homes.get_or_init(|| anywhere::names(&*self.system, &self.homes));
        let packages = self.homes.iter().flat_map(|home| named.iter().map(move |name| (*name, home)));
        let packages = packages.filter(|(name, home)| in_homes.get(OsStr::new(*name)).is_some_and(|homes| homes.contains(home)));
        let packages: Vec<PathBuf> = packages.map(|(name, home)| home.join(name)).collect();
        charge(packages.iter().map(|package| cost(package)).sum()).map_err(|_| too_much())?;
        let packages = packages.into_iter().filter(|package| self.system.is_folder(package));
        let in_packages = packages.flat_map(|package| with_src(&*self.system, package));
        let in_sources = self.in_sources.get_or_init(|| anywhere::names(&*self.system, &self.sources));
        let mut own = holding(&mut in_packages.chain(in_sources.get(OsStr::new(module)).into_iter().flatten().cloned()))?;
        if own.is_none() {
            own = holding(&mut self.members().get(OsStr::new(module)).into_iter().flatten().cloned())?;
        }
        Ok(own.into_iter().chain(self.libraries.iter().cloned()).collect())
    }

    /// The modules of the nearest uv workspace's members. Each member is listed once, whatever number of environments is looked for.
    fn members(&self) -> &ByName {
        self.members.get_or_init(|| {
            let of = |folder: &PathBuf| {
                let text = self.system.text(&path_in(folder, "pyproject.toml"), FileRole::Project)?;
                Some(workspace::members(&*self.system, folder, &text)).filter(|members| !members.is_empty())
            };
            let members = self.folders.iter().find_map(of).unwrap_or_default();
            let folders: Vec<PathBuf> = members.into_iter().flat_map(|member| with_src(&*self.system, member)).collect();
            anywhere::names(&*self.system, &folders)
        })
    }

    /// As [`roots`](Self::roots), for a package in another folder of the project.
    ///
    /// # Errors
    /// There is none, or looking for it takes too much.
    fn roots_anywhere(&self, id: &str, module: &str) -> Result<Vec<PathBuf>, Unread> {
        let root = self.root.as_deref().filter(|_| is_plain(module)).ok_or(Unread::Absent)?;
        let found = self.shared.modules.find(&*self.system, root, id, module).map_err(|_| too_much())?;
        Ok([found.ok_or(Unread::Absent)?].into_iter().chain(self.libraries.iter().cloned()).collect())
    }

    fn look_up(&self, wanted: Wanted) -> Result<Option<PackageClass>, Unread> {
        if let Some(known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&wanted) {
            return known.clone();
        }
        let (role, id, declared, point) = &wanted;
        let module = module_name(id);
        let read = |roots: Vec<PathBuf>| {
            let packaged = match role {
                Some(role) => read_package(&*self.system, roots, *role, id, *declared, *point).map(Some),
                None => read_environment(&*self.system, roots, id, *declared, *point),
            };
            packaged.and_then(|packaged| packaged.map(|packaged| class(packaged, *declared)).transpose())
        };
        let found = self
            .roots(id, &module)
            .and_then(read)
            .or_else(|why| if_absent(why, || self.pinned.class(&*self.system, *role, id, *declared, *point)))
            .or_else(|why| if_absent(why, || read(self.roots_anywhere(id, &module)?)));
        // Another config may have more to spend.
        if is_spent() {
            return found;
        }
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(wanted, found.clone());
        found
    }
}

impl Packages for FolderPackages {
    fn class(&self, role: Role, id: &str, declared: Node, point: Point) -> Result<PackageClass, Unread> {
        self.look_up((Some(role), id.to_owned(), declared, point))?.ok_or(Unread::Absent)
    }

    fn environment_of(&self, taskset: &str, declared: Node, point: Point) -> Result<Option<PackageClass>, Unread> {
        self.look_up((None, taskset.to_owned(), declared, point))
    }

    fn arguments(&self, id: &str) -> Result<Arc<EnvironmentArgs>, Unread> {
        if let Some(known) = self.arguments.lock().unwrap_or_else(PoisonError::into_inner).get(id) {
            return known.clone();
        }
        let module = environment_module(id);
        let read = |roots: Vec<PathBuf>| read_arguments(&*self.system, roots, id).map(Arc::new);
        let elsewhere = || read(self.roots_anywhere(id, &module)?);
        let found = self.roots(id, &module).and_then(read).or_else(|why| if_absent(why, elsewhere));
        if is_spent() {
            return found;
        }
        self.arguments.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned(), found.clone());
        found
    }

    fn locked(&self, package: &str) -> Option<String> {
        self.pinned.version(&*self.system, package)
    }
}

/// What looking for a module in a folder costs, in units of the meter.
fn cost(folder: &Path) -> u64 {
    OF_A_FOLDER + OF_A_BYTE * folder.as_os_str().len() as u64
}

fn too_much() -> Unread {
    Unread::Unclear(format!("looking for it: {}", Spent::TooMuch))
}

/// Another answer, if a package is absent. One that is there and can't be read has no other.
fn if_absent<T>(why: Unread, otherwise: impl FnOnce() -> Result<T, Unread>) -> Result<T, Unread> {
    if why == Unread::Absent { otherwise() } else { Err(why) }
}

fn class(packaged: Packaged, declared: Node) -> Result<PackageClass, Unread> {
    let Packaged::Own(own) = packaged else {
        return Ok(PackageClass {
            name: "prime-rl's own".to_owned(),
            place: String::new(),
            node: declared,
            checks: Arc::default(),
        });
    };
    let docs: Vec<(&str, &str)> = own.docs.iter().map(|(path, sentence)| (&**path, &**sentence)).collect();
    let node = cfg_schema::compiler::compile_class(&own.fields, &docs)
        .map_err(|why| Unread::Unclear(format!("the class `{}` can't be used: {why}", own.name)))?;
    Ok(PackageClass { name: own.name, place: own.place, node, checks: own.checks.into() })
}

/// The folders that may contain the modules of a package in `folder`: its `src`, if it has one, and the folder itself.
fn with_src(system: &dyn System, folder: PathBuf) -> impl Iterator<Item = PathBuf> {
    let source = Some(folder.join("src")).filter(|source| system.is_folder(source));
    source.into_iter().chain([folder])
}

/// Whether a name is possible for a folder or a module, and is not a path.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && Path::new(name).components().count() == 1 && !name.starts_with('.')
}

/// The packages around the configs of a folder, which are searched for when first needed.
#[derive(Debug)]
pub(crate) struct Lazily(pub(crate) Arc<Folder>);

impl Packages for Lazily {
    fn class(&self, role: Role, id: &str, declared: Node, point: Point) -> Result<PackageClass, Unread> {
        self.0.packages().class(role, id, declared, point)
    }

    fn environment_of(&self, taskset: &str, declared: Node, point: Point) -> Result<Option<PackageClass>, Unread> {
        self.0.packages().environment_of(taskset, declared, point)
    }

    fn arguments(&self, id: &str) -> Result<Arc<EnvironmentArgs>, Unread> {
        self.0.packages().arguments(id)
    }

    fn locked(&self, package: &str) -> Option<String> {
        self.0.packages().locked(package)
    }
}
