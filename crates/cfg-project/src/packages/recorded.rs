//! The environments of verifiers' repository whose sources are not available, where a project pins a commit of it: the recorded classes of that commit.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock, PoisonError},
};

use cfg_meter::charge;
use cfg_python::{module_name, package_name};
use cfg_schema::{
    Node, PackageClass, Point, Role as ClassRole, Unread,
    compiler::{environment_class, environment_of_taskset, has_environment, own_checks, point_with, with_own},
};
use cfg_system::{Role, System};

use super::OF_A_BYTE;
use crate::target;

/// The place of verifiers' repository in a checkout of prime-rl.
const SUBMODULE: &str = "deps/verifiers";

/// The folder of that repository with the packages of environments.
const ENVIRONMENTS: &str = "environments/";

/// The commits of verifiers' repository that a project pins.
#[derive(Debug, Default)]
pub(super) struct Pinned {
    /// The folders of the project around its configs, nearest first.
    folders: Vec<PathBuf>,
    /// That of the submodule, if it is not checked out.
    submodule: OnceLock<Option<String>>,
    /// The text of the nearest lock file.
    lock: OnceLock<Option<String>>,
    /// The versions that it has, of the packages that were asked for.
    versions: Mutex<HashMap<String, Option<String>>>,
    /// Ids of several owners can have the same package.
    known: Mutex<HashMap<Wanted, Result<Option<PackageClass>, Unread>>>,
}

/// A role, or a taskset whose environment is needed; a module; the field that gets the class, and the point.
type Wanted = (Option<ClassRole>, String, Node, Point);

/// A recorded environment: its module, the commit, and the point whose classes are those of this commit.
struct Recorded {
    module: String,
    commit: String,
    point: Point,
}

impl Pinned {
    /// The commits that the project of these folders pins, nearest first. They are read when they are first needed.
    pub(super) fn around(folders: Vec<PathBuf>) -> Self {
        Self { folders, ..Self::default() }
    }

    /// The class of an environment for a role, in the place of `declared`, or that of the environment that a taskset comes with.
    pub(super) fn class(
        &self,
        system: &dyn System,
        role: Option<ClassRole>,
        id: &str,
        declared: Node,
        point: Point,
    ) -> Result<Option<PackageClass>, Unread> {
        let wanted = (role, module_name(id), declared, point);
        if let Some(known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&wanted) {
            return known.clone();
        }
        let found = self.look_up(system, role, id, declared, point);
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(wanted, found.clone());
        found
    }

    fn look_up(
        &self,
        system: &dyn System,
        role: Option<ClassRole>,
        id: &str,
        declared: Node,
        point: Point,
    ) -> Result<Option<PackageClass>, Unread> {
        let recorded = self.find(system, id, point).ok_or(Unread::Absent)?;
        let own = match role {
            Some(role) => Some(environment_class(role, &recorded.module, recorded.point).ok_or(Unread::Absent)?),
            None => environment_of_taskset(&recorded.module, recorded.point)?,
        };
        own.map(|own| recorded.class(own, declared, point)).transpose()
    }

    /// The recorded environment of an id.
    fn find(&self, system: &dyn System, id: &str, point: Point) -> Option<Recorded> {
        let module = module_name(id);
        if !has_environment(&module) {
            return None;
        }
        let commit = match self.locked(system, package_name(id), &module) {
            Locked::At(commit) => commit,
            Locked::Elsewhere => return None,
            Locked::InSubmodule => self.submodule(system)?.to_owned(),
        };
        let point = point_with("verifiers", &commit, point)?;
        Some(Recorded { module, commit, point })
    }

    /// The pinned commit of the submodule. If it is checked out, its sources decide.
    fn submodule(&self, system: &dyn System) -> Option<&str> {
        let commit = self.submodule.get_or_init(|| {
            let is_empty = |folder: &&PathBuf| !system.is_folder(&folder.join(SUBMODULE).join("verifiers"));
            let root = self.folders.iter().find(|folder| system.is_repository(folder)).filter(is_empty)?;
            target::verifiers_of(system, root)
        });
        commit.as_deref()
    }

    /// The text of the nearest lock file.
    fn lock(&self, system: &dyn System) -> Option<&str> {
        let text = self.lock.get_or_init(|| {
            let nearest = self.folders.iter().map(|folder| folder.join("uv.lock")).find(|path| system.is_file(path))?;
            system.text(&nearest, Role::LockFile)
        });
        text.as_deref()
    }

    /// The version that the project locks of a package.
    pub(super) fn version(&self, system: &dyn System, package: &str) -> Option<String> {
        let lock = self.lock(system)?;
        let mut versions = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(version) = versions.get(package) {
            return version.clone();
        }
        charge(OF_A_BYTE * lock.len() as u64).ok()?;
        let version = target::entry_of(lock, package).and_then(|entry| entry.version);
        versions.insert(package.to_owned(), version.clone());
        version
    }

    /// Where a project that locks its packages has one from.
    fn locked(&self, system: &dyn System, package: &str, module: &str) -> Locked {
        let Some(text) = self.lock(system) else { return Locked::InSubmodule };
        let normal = package.replace(['_', '.'], "-").to_lowercase();
        let Some(entry) = target::entry_of(text, &normal) else { return Locked::InSubmodule };
        let (git, folder) = (entry.git.as_deref(), entry.folder.as_deref());
        let is_it = |folder: &str| folder.trim_end_matches('/').strip_prefix(ENVIRONMENTS) == Some(module);
        match (git.and_then(environment_in_url), folder) {
            (Some((folder, commit)), _) if is_it(&folder) => Locked::At(commit),
            (None, Some(folder)) if git.is_none() => {
                let inner = Path::new(folder).strip_prefix(SUBMODULE).ok().and_then(Path::to_str);
                if inner.is_some_and(is_it) { Locked::InSubmodule } else { Locked::Elsewhere }
            }
            _ => Locked::Elsewhere,
        }
    }
}

/// Where a package is from.
enum Locked {
    /// From a commit of verifiers' repository.
    At(String),
    /// From the submodule, as far as the lock file says.
    InSubmodule,
    /// From another place.
    Elsewhere,
}

/// The folder and the commit in the locked URL of a package in verifiers' repository.
fn environment_in_url(url: &str) -> Option<(String, String)> {
    let (place, commit) = url.split_once('#')?;
    let (repository, query) = place.split_once('?')?;
    let name = repository.trim_end_matches('/').trim_end_matches(".git");
    let is_verifiers = name.rsplit(['/', ':']).next() == Some("verifiers");
    let folder = query.split('&').find_map(|part| part.strip_prefix("subdirectory="))?;
    is_verifiers.then(|| (folder.replace("%2F", "/"), commit.to_owned()))
}

impl Recorded {
    /// A recorded class in the place of `declared`.
    fn class(&self, own: Node, declared: Node, point: Point) -> Result<PackageClass, Unread> {
        let short = self.commit.get(..9).unwrap_or(&self.commit);
        let place = format!("{SUBMODULE}/{ENVIRONMENTS}{} at {short}", self.module);
        let checks = own_checks(own, self.point, &place).into();
        let node = with_own(declared, point, own, self.point, |_| false).map_err(Unread::Unclear)?;
        Ok(PackageClass { name: self.module.clone(), place, node, checks })
    }
}

#[cfg(test)]
mod tests {
    use super::environment_in_url;

    #[test]
    fn an_environment_is_a_folder_of_the_repository() {
        let found = |url: &str| environment_in_url(url);
        let url = "https://x/a/verifiers.git?subdirectory=environments%2Fgsm8k&rev=main#0123";
        assert_eq!(found(url), Some(("environments/gsm8k".to_owned(), "0123".to_owned())));
        for other in [
            "https://x/a/verifiers?rev=main#0123",
            "https://x/a/more-verifiers?subdirectory=environments%2Fgsm8k#0123",
            "https://x/a/verifiers?subdirectory=environments%2Fgsm8k",
        ] {
            assert_eq!(found(other), None, "{other}");
        }
    }
}
