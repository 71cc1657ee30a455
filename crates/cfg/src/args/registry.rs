//! The arguments of the commands for versions of configs.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Args)]
pub(crate) struct Bump {
    /// The config
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,
    /// The version step; by default derived from the change
    #[arg(value_enum)]
    pub(crate) level: Option<Level>,
    /// What changed, and why; without it, the editor asks
    #[arg(short, long, value_name = "WHY")]
    pub(crate) message: Option<String>,
    /// The parent version (path:v3), if it is not the previous one
    #[arg(long, value_name = "FILE:VERSION")]
    pub(crate) based_on: Option<String>,
    /// Make a version even if only comments changed, prime-rl refuses the config, or it contains a secret
    #[arg(long)]
    pub(crate) force: bool,
    /// Show what would be registered, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Level {
    /// Different training
    Major,
    /// The same training with other resources
    Minor,
    /// Different names or logging
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
    /// The config; all if omitted
    #[arg(value_name = "FILE")]
    pub(crate) path: Option<PathBuf>,
    /// Draw the lineage of all configs; also as mermaid, dot, svg or json
    #[arg(long)]
    pub(crate) graph: bool,
    /// Also list the versions that this config is based on, and those of its text under other paths
    #[arg(long, requires = "path", conflicts_with = "graph")]
    pub(crate) follow: bool,
}

#[derive(Args)]
pub(crate) struct Show {
    /// The version, such as configs/a.toml:v2; by default the current one
    #[arg(value_name = "FILE:VERSION")]
    pub(crate) reference: String,
}

#[derive(Args)]
pub(crate) struct Restore {
    /// The version, such as configs/a.toml:v2
    #[arg(value_name = "FILE:VERSION")]
    pub(crate) reference: String,
    /// Replace the file even if its current text is not registered
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
    /// Create an empty registry.json
    Init {
        /// The folder for the registry; its paths are relative to it
        #[arg(value_name = "FOLDER", default_value = ".")]
        folder: PathBuf,
    },
    /// Check the registry against the configs and the stored texts
    Verify(Verify),
    /// List the configs
    List {
        /// The registry, or a path below it
        #[arg(value_name = "PATH", default_value = ".")]
        path: PathBuf,
    },
    /// Register existing configs with their git history, and complete the registry
    ///
    /// Existing entries are kept. Versions get their text where headers and commits show it. Configs whose file was renamed are renamed; those whose file
    /// is gone are marked as removed, and keep their versions. The configs themselves are not changed.
    Adopt {
        /// Configs, or folders of configs
        #[arg(value_name = "PATH", default_value = ".")]
        paths: Vec<PathBuf>,
        /// Show what would be done without writing
        #[arg(long)]
        dry_run: bool,
    },
    /// Merge registries and configs that two branches changed
    ///
    /// Versions of both sides are kept: if two have the same name, the merged branch's version gets the next number, and references to it follow. A
    /// config keeps our side's metadata block. Only lines that both sides changed are left between conflict markers.
    ///
    /// Without paths, it merges what `git merge`, `rebase`, `cherry-pick`, `revert` or `stash pop` has left unmerged here. `cfg hook install` makes
    /// git run it automatically.
    ///
    /// Exit status: 0 if everything is merged, 1 if something is left to look at, 2 on failure.
    Merge(Merge),
    /// Move a config to another path, with its versions and references
    ///
    /// Moves the file too, unless it was already moved, for example with `git mv`. Without paths, the registry follows each file that is gone if another
    /// file has the text of one of its versions, or git sees that it was renamed.
    Mv {
        /// The registered path and the new one
        #[arg(value_names = ["OLD", "NEW"], num_args = 2)]
        paths: Vec<PathBuf>,
    },
    /// Print the exact text of a version
    Show(Show),
    /// Restore a file to one of its versions
    Restore(Restore),
    /// Remove stored texts that no version or run uses
    Gc {
        /// The registry, or a path below it
        #[arg(value_name = "PATH", default_value = ".")]
        path: PathBuf,
        /// Show how many there are without removing them
        #[arg(long)]
        dry_run: bool,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DenyOfRegistry {
    Warnings,
}

#[derive(Args)]
pub(crate) struct Verify {
    /// The registry, or a path below it
    #[arg(value_name = "PATH", default_value = ".")]
    pub(crate) path: PathBuf,
    /// Treat findings of this severity as errors
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub(crate) deny: Option<DenyOfRegistry>,
}

#[derive(Args)]
pub(crate) struct Merge {
    /// Unmerged registries and configs; by default all that git lists here
    #[arg(value_name = "FILE")]
    pub(crate) paths: Vec<PathBuf>,
    /// Merge one file for git: its text in the common ancestor, in our side, which gets the result, and in the other side, and its path
    #[arg(long, num_args = 4, value_names = ["BASE", "OURS", "THEIRS", "PATH"], conflicts_with = "paths")]
    pub(crate) driver: Vec<PathBuf>,
    /// Let git call it when it merges in this repository
    #[arg(long, conflicts_with_all = ["paths", "driver"])]
    pub(crate) install: bool,
}
