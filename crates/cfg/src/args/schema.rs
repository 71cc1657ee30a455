//! The arguments of the commands that look up keys: `cfg schema` and `cfg env`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Args)]
pub(crate) struct Env {
    /// The environment's `id`, as written in a config: my-env or owner/my-env
    #[arg(value_name = "ID")]
    pub(crate) id: String,
}

#[derive(Args)]
pub(crate) struct Schema {
    #[command(subcommand)]
    pub(crate) command: SchemaCommand,
}

#[derive(Subcommand)]
pub(crate) enum SchemaCommand {
    /// Show a key, or the keys of a table, in the target
    Show {
        /// A dotted key, such as trainer.model.lora; the whole file if omitted
        #[arg(default_value = "")]
        key: String,
    },
    /// Show the history of a key
    History {
        /// A dotted key, such as trainer.model.lora
        key: String,
    },
    /// Show what changed between two targets
    Diff {
        /// The older target
        from: String,
        /// The newer target
        to: String,
    },
    /// List the releases of prime-rl that cfg knows, and until which day it knows the main line
    Versions,
    /// Import the config classes of a prime-rl checkout that cfg does not know: a fork, or a newer version
    ///
    /// The checkout's config modules are read, not run, and written as an entry for `--target local:NAME` or `target = "local:NAME"` in cfg.toml.
    /// prime-rl's checks and loader are taken from the base point, the closest known commit; the differences from it are printed.
    Import(Import),
    /// Export JSON Schemas of the target's configs, for TOML editors and linters
    ///
    /// Without `-o` the schema of one kind is printed: rl, or that of --kind.
    Export {
        /// Write `<KIND>.json` for each kind, or only for --kind, to this folder
        #[arg(short = 'o', long = "output", value_name = "DIR")]
        folder: Option<PathBuf>,
    },
}

#[derive(Args)]
pub(crate) struct Import {
    /// The prime-rl checkout
    #[arg(value_name = "PATH-TO-PRIME-RL")]
    pub(crate) checkout: PathBuf,
    /// The name of the entry; by default that of the folder
    #[arg(long, value_name = "NAME", conflicts_with = "output")]
    pub(crate) name: Option<String>,
    /// Write the entry to this file instead of .cfg/schemas/NAME.schema
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
