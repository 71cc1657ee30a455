//! The prime-rl that a project uses, detected from the project itself.

mod checkout;
mod dependencies;
mod entrypoints;
mod folders;
mod installed;
mod launched;
mod local;
mod named_folder;
mod own;
mod past;
mod pins;
mod problem;
mod pyproject;
mod reference;
mod requirement;
mod requirements;
mod scripts;
mod sentences;
mod source;
mod submodule;
mod uv_lock;

use std::{ffi::OsStr, ops::Range, path::Path, sync::Arc};

use cfg_schema::Target;

pub use local::{ENTRIES, LOCAL, local_target};
pub use named_folder::NamedBy;
pub use own::{OwnClasses, read_own};
pub use problem::{TargetProblem, Unusable};
pub use source::TargetSource;

pub(crate) use checkout::is_prime_rl_itself;
pub(crate) use pyproject::of_sources;
pub(crate) use reference::mentions_prime_rl;
pub(crate) use submodule::{of_prime_rl, paths as submodules};

use crate::{SettingPlace, folder::Folder};

/// The prime-rl that a config is for, with its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DetectedTarget {
    /// The target.
    pub target: Target,
    /// The source.
    pub source: TargetSource,
    /// How the target is derived from the source.
    pub basis: Basis,
    /// The classes in its sources, if these are available; the target's history then has those classes.
    pub own: Option<Arc<OwnClasses>>,
}

impl DetectedTarget {
    fn new(target: Target, source: TargetSource, basis: Basis) -> Self {
        Self { target, source, basis, own: None }
    }

    /// The detection for the target in the settings. `target` is `None` if the settings state one that can't be used, which has been reported.
    pub(crate) fn of_settings(target: Option<Target>, place: SettingPlace) -> Detection {
        let source = TargetSource::Settings(place);
        match target {
            Some(target) => Ok(Self::new(target, source, Basis::Named)),
            None => Err(TargetProblem { source, unusable: Unusable::Refused }),
        }
    }
}

/// How a target is derived from a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The source names it.
    Named,
    /// The source names a commit that is not on the known main line. The target is the newest known commit among its ancestors.
    Ancestor {
        /// The full hash of that commit.
        commit: String,
    },
    /// The source names a commit whose ancestors are not available. The target is the main line at the date of the commit.
    Date {
        /// The full hash of that commit.
        commit: String,
    },
    /// The source names a range of versions; the target is the newest known release in it.
    Range,
}

impl Basis {
    /// The full hash of the commit that is really used, if the target only represents it.
    pub fn commit(&self) -> Option<&str> {
        match self {
            Self::Named | Self::Range => None,
            Self::Ancestor { commit } | Self::Date { commit } => Some(commit),
        }
    }
}

/// The result of a source: a target, or a problem with it.
pub(crate) type Detection = Result<DetectedTarget, TargetProblem>;

/// Whether a file may state the prime-rl of a project more reliably than scripts do: settings, what a package manager reads, a submodule.
pub fn may_state_prime_rl(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    ["cfg.toml", "uv.lock", ".gitmodules", "environment.yml", "environment.yaml", "prime-rl", "prime_rl"].contains(&name)
        || dependencies::FILES.contains(&name)
        || requirements::is_requirements(name)
}

/// Those of [`SOURCES`] that find a prime-rl in the project's own folders.
pub(crate) const AT_HAND: Range<usize> = 1..3;

/// Those that find the prime-rl that a package manager installs, or has installed.
pub(crate) const INSTALLED: Range<usize> = 3..8;

/// The functions that look for the prime-rl in a folder, the most reliable first.
pub(crate) const SOURCES: [fn(&Folder) -> Option<Detection>; 11] = [
    checkout::detect,
    submodule::detect,
    folders::detect,
    uv_lock::detect,
    pyproject::detect,
    requirements::detect,
    dependencies::detect,
    installed::detect,
    scripts::detect,
    launched::detect,
    sentences::detect,
];

pub(crate) use checkout::is_in_repository;
pub(crate) use folders::{Found, NEVER};
pub(crate) use installed::detect_activated;
pub(crate) use installed::libraries;
pub(crate) use launched::{around_working_folder, in_comments};
pub(crate) use own::{Owns, roots};
pub(crate) use past::{Past, Pasts};
pub(crate) use pins::{stated_verifiers, verifiers_of};
pub(crate) use uv_lock::entry_of;
