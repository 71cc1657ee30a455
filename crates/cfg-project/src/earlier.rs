//! The prime-rl that a project stated before: by an earlier commit of the file that states it.

use std::{path::Path, sync::Arc};

use cfg_schema::{Point, Target};
use cfg_system::{Overlay, around};

use crate::{Projects, TargetSource, git};

/// The maximum number of commits of a file that are read.
const MAX_COMMITS: usize = 32;

/// The prime-rl that a project stated before.
#[derive(Clone, Debug)]
pub struct EarlierTarget {
    /// The target.
    pub target: Target,
    /// What states it in that commit.
    pub source: TargetSource,
    /// The short hash of the commit.
    pub commit: String,
    /// The day of the commit: `2026-01-06`.
    pub day: String,
}

/// What a project stated before.
#[derive(Clone, Debug)]
pub enum Earlier {
    /// This prime-rl.
    Known(EarlierTarget),
    /// One that is not known, such as a fork's own commit that is not at hand.
    Unknown {
        /// What it was, in words.
        what: String,
        /// The short hash of the last commit that stated it.
        commit: String,
        /// The day of that commit.
        day: String,
    },
}

impl Projects {
    /// The prime-rl that the project around a config stated last before one at `point`, by the commits of the file in which it states its prime-rl:
    /// settings, a lock file, a requirement, a script, or a submodule. `None` if git has no such commit, or the project stated only newer ones.
    pub fn earlier_target(&self, file: &Path, source: &TargetSource, point: Point) -> Option<Earlier> {
        let path = source.path()?;
        if matches!(source, TargetSource::Metadata | TargetSource::GitCheckout { .. } | TargetSource::Installed { .. }) {
            return None;
        }
        let is_submodule = matches!(source, TargetSource::GitSubmodule { .. });
        // The folder of a submodule that is not checked out need not exist.
        let root = || around(path).skip(1).find(|folder| self.system.is_repository(folder));
        let folder = if is_submodule { root()? } else { path.parent()? };
        let name = path.strip_prefix(folder).ok()?.to_str()?;
        let short = |sha: &str| sha.get(..9).unwrap_or(sha).to_owned();
        let of_commit = |at: &git::Commit| {
            let (commit, day) = (short(&at.sha), at.date.get(..10).unwrap_or("").to_owned());
            let (target, source) = if is_submodule {
                let sha = git::submodule_of(&*self.system, folder, &at.sha, name)?;
                let Some(target) = self.shared.of_commit(&*self.system, path, &sha) else {
                    return Some(Earlier::Unknown { what: short(&sha), commit, day });
                };
                (target, source.clone())
            } else {
                let text = git::show(&*self.system, folder, &format!("{}:./{name}", at.sha))?;
                let then = Overlay::with(Arc::clone(&self.system), path, text);
                let then = Projects::new(Arc::new(then), self.explicit.as_deref()).target(file)?;
                let Ok(detected) = then.as_ref() else {
                    return Some(Earlier::Unknown { what: "another one".to_owned(), commit, day });
                };
                (detected.target.clone(), detected.source.clone())
            };
            (target.point < point).then_some(Earlier::Known(EarlierTarget { target, source, commit, day }))
        };
        git::commits_of(&*self.system, folder, name, MAX_COMMITS)?.iter().find_map(of_commit)
    }
}
