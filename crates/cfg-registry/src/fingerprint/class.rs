//! What a key is about, and how great a step a change of it is.

use std::{fmt, str::FromStr};

/// What a key is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// It changes what is trained, on what, or how: the result.
    Training,
    /// It changes on which machines and in how much memory and time the same is done.
    Resources,
    /// It changes how the run is named, watched and kept.
    Operations,
}

impl Class {
    /// All classes, the weightiest first.
    pub const ALL: [Self; 3] = [Self::Training, Self::Resources, Self::Operations];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Training => "training",
            Self::Resources => "resources",
            Self::Operations => "operations",
        }
    }

    /// The step that a change of a key of this class asks for.
    pub const fn level(self) -> Level {
        match self {
            Self::Training => Level::Major,
            Self::Resources => Level::Minor,
            Self::Operations => Level::Patch,
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// How great the step from one version to the next is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// The same training on the same machines: only names, logging or what is kept of the run differ.
    Patch,
    /// The same training on other machines, or otherwise spread over them.
    Minor,
    /// Another training: its results can't be compared with the former ones as if nothing had happened.
    Major,
}

impl Level {
    /// Its name, as `cfg bump` takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = [Self::Patch, Self::Minor, Self::Major].into_iter().find(|level| level.name() == name);
        known.ok_or_else(|| format!("unknown level `{name}`; expected major, minor or patch"))
    }
}
