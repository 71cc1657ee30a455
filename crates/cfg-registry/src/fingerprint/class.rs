//! The class of a key, and the level of its changes.

use std::{fmt, str::FromStr};

/// The class of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// It affects the result: what is trained, on which data, and how.
    Training,
    /// It affects the machines, the memory and the time, but not the result.
    Resources,
    /// It affects the name of the run, its logging, and what is kept of it.
    Operations,
}

impl Class {
    /// All classes, the most important first.
    pub const ALL: [Self; 3] = [Self::Training, Self::Resources, Self::Operations];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Training => "training",
            Self::Resources => "resources",
            Self::Operations => "operations",
        }
    }

    /// The level of a change of a key in this class.
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

/// The level of a change between two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// The same training on the same machines: only names, logging or what is kept differ.
    Patch,
    /// The same training on other machines, or distributed over them differently.
    Minor,
    /// A different training: its results are not comparable with earlier ones.
    Major,
}

impl Level {
    /// Its name in `cfg bump`.
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
