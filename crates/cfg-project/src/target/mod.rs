//! Which prime-rl a project uses, read off the project itself.

mod checkout;
mod installed;
mod local;
mod own;
mod past;
mod pins;
mod problem;
mod pyproject;
mod reference;
mod requirement;
mod requirements;
mod scripts;
mod source;
mod submodule;
mod uv_lock;

use std::sync::Arc;

use cfg_schema::Target;

pub use local::{ENTRIES, LOCAL, local_target};
pub use own::{NamedBy, OwnClasses, read_own};
pub use problem::{TargetProblem, Unusable};
pub use source::TargetSource;

use crate::{Place, folder::Folder};

/// The prime-rl that a config is for, and how that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DetectedTarget {
    /// The point of the history.
    pub target: Target,
    /// How it is known.
    pub source: TargetSource,
    /// How the target follows from what that source says.
    pub basis: Basis,
    /// The classes of its sources, where these are available: the target is then of their history.
    pub own: Option<Arc<OwnClasses>>,
}

impl DetectedTarget {
    fn new(target: Target, source: TargetSource, basis: Basis) -> Self {
        Self { target, source, basis, own: None }
    }

    /// The target of the settings; `None` where they name none that can be used, which is reported with them.
    pub(crate) fn of_settings(target: Option<Target>, place: Place) -> Detection {
        let source = TargetSource::Settings(place);
        match target {
            Some(target) => Ok(Self::new(target, source, Basis::Named)),
            None => Err(TargetProblem { source, unusable: Unusable::Refused }),
        }
    }
}

/// How a target follows from what a source says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Basis {
    /// It is what the source names.
    Named,
    /// The source names a commit that is not of the known main line; the target is the newest known one among its ancestors.
    Ancestor {
        /// The full hash of that commit.
        commit: String,
    },
    /// The source names a commit whose ancestors are not available; the target is the main line of its date.
    Date {
        /// The full hash of that commit.
        commit: String,
    },
    /// The source names a range of versions; the target is the newest known release that it allows.
    Range,
}

impl Basis {
    /// The commit that is used, where the target only stands for it.
    pub fn commit(&self) -> Option<&str> {
        match self {
            Self::Named | Self::Range => None,
            Self::Ancestor { commit } | Self::Date { commit } => Some(commit),
        }
    }
}

/// What a source says: a target, or one that can't be used.
pub(crate) type Detection = Result<DetectedTarget, TargetProblem>;

/// The sources of a folder, the surest first.
pub(crate) const SOURCES: [fn(&Folder) -> Option<Detection>; 7] = [
    checkout::detect,
    submodule::detect,
    uv_lock::detect,
    pyproject::detect,
    requirements::detect,
    installed::detect,
    scripts::detect,
];

pub(crate) use checkout::is_in_repository;
pub(crate) use installed::detect_activated;
pub(crate) use installed::libraries;
pub(crate) use own::{Owns, roots};
pub(crate) use past::Pasts;
pub(crate) use uv_lock::entry_of;
