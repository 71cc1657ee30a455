//! Where a target is stated.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use crate::SettingPlace;

/// Where a target is stated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetSource {
    /// In the config's own metadata.
    Metadata,
    /// In `target` of the settings.
    Settings(SettingPlace),
    /// By a checkout of prime-rl that contains the config.
    GitCheckout {
        /// The root of the checkout.
        path: PathBuf,
    },
    /// By a git submodule of the project.
    GitSubmodule {
        /// The folder of the submodule.
        path: PathBuf,
    },
    /// In a lock file of uv.
    UvLock {
        /// The lock file.
        path: PathBuf,
    },
    /// In a dependency of the project.
    Pyproject {
        /// The `pyproject.toml`.
        path: PathBuf,
    },
    /// In a requirements file in pip's format.
    Requirements {
        /// The file.
        path: PathBuf,
    },
    /// In a script, build file or documentation page of the project that clones or installs prime-rl.
    Script {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u32,
    },
    /// By an installed distribution.
    Installed {
        /// Its `.dist-info` folder.
        path: PathBuf,
    },
}

impl TargetSource {
    /// The file or folder that states it.
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
            Self::GitCheckout { .. } if path == "." => "this git checkout".to_owned(),
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
