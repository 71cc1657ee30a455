//! Configs inside the repository of prime-rl.

use std::path::Path;

use cfg_meter::charge_each;
use cfg_schema::{History, Target};
use cfg_system::{Role, System};

use super::{Detection, TargetProblem, TargetSource, Unusable, own::has_sources, past::by_date_alone, reference};
use crate::{folder::Folder, git};

/// The commit that is checked out, if `folder` is the root of a prime-rl repository.
pub(super) fn detect(folder: &Folder) -> Option<Detection> {
    let is_prime_rl = folder.pyproject().is_some_and(is_prime_rl_itself);
    is_prime_rl.then(|| copy(folder, folder.system(), folder.path())).flatten()
}

/// The prime-rl in a folder of the project: a clone, or a copy, which may be part of a repository around it. `folder` is in this project.
pub(super) fn copy(folder: &Folder, system: &dyn System, path: &Path) -> Option<Detection> {
    let by_git = at(folder, system, path).or_else(|| {
        folder.ancestors().find(|outer| outer.is_repository())?;
        vendored(system, path)
    });
    // Without git, the version is derived from the classes of the copy.
    by_git.or_else(|| {
        let source = TargetSource::GitCheckout { path: path.to_owned() };
        has_sources(system, path).then_some(Err(TargetProblem { source, unusable: Unusable::NoCommit(None) }))
    })
}

/// The prime-rl in or above a folder that a project names: the root of prime-rl, or one of its packages.
pub(super) fn around(folder: &Folder, path: &Path) -> Option<Detection> {
    let file = path.join("pyproject.toml");
    let file = folder.system().plain(&file);
    let path = file.parent()?;
    let is_repository = |above: &&Path| folder.system().is_repository(above);
    let is_root = |above: &&Path| {
        folder.system().text(&above.join("pyproject.toml"), Role::Project).is_some_and(|text| is_prime_rl_itself(&text))
    };
    let repository = cfg_system::around(path).find(is_repository)?;
    if repository == path {
        return may_be_named(folder.system(), folder.path(), path).then(|| at(folder, folder.system(), path)).flatten();
    }
    let within = || cfg_system::around(path).take_while(|above| above.starts_with(repository));
    match within().find(is_root)? {
        root if root == repository => at(folder, folder.system(), root),
        root => vendored(folder.system(), root),
    }
}

/// The commit that is checked out in the repository whose root is `path`.
pub(super) fn at(folder: &Folder, system: &dyn System, path: &Path) -> Option<Detection> {
    if !system.is_repository(path) {
        return None;
    }
    let sha = git::head(system, path)?;
    let source = TargetSource::GitCheckout { path: path.to_owned() };
    Some(reference::of_commit(&sha, source, || folder.pasts().of(system, path, &sha)))
}

/// A copy inside another repository, whose own commits do not identify prime-rl. Its date is that of the last change of the copy.
fn vendored(system: &dyn System, path: &Path) -> Option<Detection> {
    let commit = git::newest_within(system, path)?;
    let source = TargetSource::GitCheckout { path: path.to_owned() };
    Some(reference::of_commit(&commit.sha, source, || by_date_alone(&commit.sha, &commit.date)))
}

/// Whether a text in the folder `from` of a repository may name `path` as the prime-rl to use: within that repository, by the real path, or in the
/// root of a prime-rl repository. So a text in a repository can't make `cfg` read arbitrary files on the disk.
pub(super) fn may_be_named(system: &dyn System, from: &Path, path: &Path) -> bool {
    if is_in_repository(system, from, path) {
        return true;
    }
    let is_known = || git::head(system, path).is_some_and(|sha| Target::parse(History::built_in(), &sha).is_ok());
    system.is_repository(path) && (has_sources(system, path) || is_known())
}

/// Whether a path is inside the repository around the folder `from`; links are resolved for both.
pub(crate) fn is_in_repository(system: &dyn System, from: &Path, path: &Path) -> bool {
    let Ok(real) = system.real(path) else { return false };
    let around = system.root_of(&system.absolute(from));
    real.starts_with(system.real(&around).unwrap_or(around))
}

/// What parsing a byte costs, in units of the meter.
const OF_A_BYTE: usize = 2;

/// Whether a `pyproject.toml` is that of prime-rl. Many folders can have the same one, so it is none if that takes too much.
pub(crate) fn is_prime_rl_itself(pyproject: &str) -> bool {
    if !reference::mentions_prime_rl(pyproject) || charge_each(OF_A_BYTE * pyproject.len()).is_err() {
        return false;
    }
    let (root, _) = toml::de::DeTable::parse_recoverable(pyproject);
    let project = root.get_ref().get("project").and_then(|project| project.get_ref().as_table());
    let name = project.and_then(|project| project.get("name")).and_then(|name| name.get_ref().as_str());
    name.is_some_and(reference::is_prime_rl)
}
