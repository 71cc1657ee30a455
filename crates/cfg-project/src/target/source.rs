//! The source of a target.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use crate::Place;

/// Where a target comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetSource {
    /// The config's own metadata.
    Metadata,
    /// `target` in the settings.
    Settings(Place),
    /// The config is in a checkout of prime-rl itself.
    GitCheckout {
        /// The root of the checkout.
        path: PathBuf,
    },
    /// A git submodule of the project.
    GitSubmodule {
        /// The folder of the submodule.
        path: PathBuf,
    },
    /// A lock file of uv.
    UvLock {
        /// The lock file.
        path: PathBuf,
    },
    /// A pin among the dependencies of the project.
    Pyproject {
        /// The `pyproject.toml`.
        path: PathBuf,
    },
    /// A requirements file, in pip's format.
    Requirements {
        /// The file.
        path: PathBuf,
    },
    /// A script, build file or page of the project that clones or installs prime-rl.
    Script {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u32,
    },
    /// An installed distribution.
    Installed {
        /// Its `.dist-info` folder.
        path: PathBuf,
    },
}

impl TargetSource {
    /// The file or folder that contains it.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Metadata => None,
            Self::Settings(place) => Some(&place.path),
            Self::GitCheckout { path }
            | Self::GitSubmodule { path }
            | Self::UvLock { path }
            | Self::Pyproject { path }
            | Self::Requirements { path }
            | Self::Script { path, .. }
            | Self::Installed { path } => Some(path),
        }
    }

    /// A short description, with its path relative to the folder `base`: "git submodule deps/prime-rl", "cfg.toml:2".
    pub fn describe(&self, base: &Path) -> String {
        let path = self.path().map(|path| match path.strip_prefix(base) {
            Ok(below) if below.as_os_str().is_empty() => ".".to_owned(),
            Ok(below) => below.display().to_string(),
            Err(_) => path.display().to_string(),
        });
        let path = path.unwrap_or_default();
        match self {
            Self::Metadata => "`prime_rl` in the metadata".to_owned(),
            Self::Settings(place) => format!("{path}:{}", place.line),
            Self::GitCheckout { .. } => format!("git checkout {path}"),
            Self::GitSubmodule { .. } => format!("git submodule {path}"),
            Self::UvLock { .. } | Self::Pyproject { .. } | Self::Requirements { .. } => path,
            Self::Script { line, .. } => format!("{path}:{line}"),
            Self::Installed { .. } => format!("installed {path}"),
        }
    }
}

impl fmt::Display for TargetSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.describe(Path::new("")))
    }
}
