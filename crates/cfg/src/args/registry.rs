//! The words of the commands for versions of configs.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::Deny;

#[derive(Args)]
pub(crate) struct Bump {
    /// The config
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,
    /// How great the step is; worked out where it is not given
    #[arg(value_enum)]
    pub(crate) level: Option<Level>,
    /// What was changed, and why
    #[arg(short, long, value_name = "WHY")]
    pub(crate) message: String,
    /// The version that it comes from (path:v3), where that is not the one before
    #[arg(long, value_name = "FILE:VERSION")]
    pub(crate) based_on: Option<String>,
    /// Make a version also where only comments changed, prime-rl refuses the config, or it holds a secret
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Level {
    /// Another training
    Major,
    /// The same training on other machines
    Minor,
    /// Other names or logging
    Patch,
}

impl From<Level> for cfg_registry::fingerprint::Level {
    fn from(level: Level) -> Self {
        match level {
            Level::Major => Self::Major,
            Level::Minor => Self::Minor,
            Level::Patch => Self::Patch,
        }
    }
}

#[derive(Args)]
pub(crate) struct Log {
    /// The config; nothing for all of them
    #[arg(value_name = "FILE")]
    pub(crate) path: Option<PathBuf>,
    /// Draw which version comes from which, over all configs; also as mermaid, dot, svg or json
    #[arg(long)]
    pub(crate) graph: bool,
}

#[derive(Args)]
pub(crate) struct Show {
    /// The version, such as configs/a.toml:v2; without one the current version
    #[arg(value_name = "FILE:VERSION")]
    pub(crate) reference: String,
}

#[derive(Args)]
pub(crate) struct Restore {
    /// The version, such as configs/a.toml:v2
    #[arg(value_name = "FILE:VERSION")]
    pub(crate) reference: String,
    /// Replace the file also where what it holds is no version
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args)]
pub(crate) struct Registry {
    #[command(subcommand)]
    pub(crate) command: RegistryCommand,
}

#[derive(Subcommand)]
pub(crate) enum RegistryCommand {
    /// Make an empty registry.json
    Init {
        /// The folder in which its paths begin
        #[arg(value_name = "FOLDER", default_value = ".")]
        folder: PathBuf,
    },
    /// Say what is wrong between the registry, the configs and what is kept of them
    Verify(Verify),
    /// List the configs
    List {
        /// The registry, or a path below it
        #[arg(value_name = "PATH", default_value = ".")]
        path: PathBuf,
    },
    /// Take configs into the registry, with what their headers say and their git history, and repair what it lacks
    ///
    /// What the registry says already stays. Versions get the text that they stood for, as far as headers and commits tell; configs whose
    /// file is gone are marked as removed, and keep their versions. The configs themselves are not touched.
    Adopt {
        /// Configs, or folders of them
        #[arg(value_name = "PATH", default_value = ".")]
        paths: Vec<PathBuf>,
        /// Say what would be done, and write nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Remove kept texts that neither a version nor a run names
    Gc {
        /// The registry, or a path below it
        #[arg(value_name = "PATH", default_value = ".")]
        path: PathBuf,
        /// Say how many there are, and remove none
        #[arg(long)]
        dry_run: bool,
    },
}

#[derive(Args)]
pub(crate) struct Verify {
    /// The registry, or a path below it
    #[arg(value_name = "PATH", default_value = ".")]
    pub(crate) path: PathBuf,
    /// Take findings of this severity as errors
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub(crate) deny: Option<Deny>,
}
