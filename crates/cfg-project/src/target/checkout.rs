//! A config that lies within prime-rl's own repository.

use std::path::Path;

use cfg_system::System;

use super::{Detection, TargetSource, reference};
use crate::{folder::Folder, git};

/// The commit that is checked out, where `folder` is the root of prime-rl.
pub(super) fn detect(folder: &Folder) -> Option<Detection> {
    let pyproject = folder.pyproject()?;
    if !reference::mentions_prime_rl(pyproject) || !is_prime_rl_itself(pyproject) {
        return None;
    }
    at(folder.system(), folder.path()).or_else(|| {
        folder.ancestors().find(|outer| outer.is_repository())?;
        vendored(folder.system(), folder.path())
    })
}

/// The commit that is checked out in the repository that begins at `path`.
pub(super) fn at(system: &dyn System, path: &Path) -> Option<Detection> {
    if !system.is_repository(path) {
        return None;
    }
    let sha = git::head(system, path)?;
    Some(reference::of_commit(&sha, TargetSource::GitCheckout { path: path.to_owned() }, || git::date(system, path, &sha)))
}

/// A copy within another repository, whose own commits say nothing of prime-rl. It is as new as the last change of the copy.
fn vendored(system: &dyn System, path: &Path) -> Option<Detection> {
    let commit = git::newest_within(system, path)?;
    Some(reference::of_commit(&commit.sha, TargetSource::GitCheckout { path: path.to_owned() }, || Some(commit.date.clone())))
}

fn is_prime_rl_itself(pyproject: &str) -> bool {
    let (root, _) = toml::de::DeTable::parse_recoverable(pyproject);
    let project = root.get_ref().get("project").and_then(|project| project.get_ref().as_table());
    let name = project.and_then(|project| project.get("name")).and_then(|name| name.get_ref().as_str());
    name.is_some_and(reference::is_prime_rl)
}
