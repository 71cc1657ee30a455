//! The words of the commands that look keys up: `cfg schema` and `cfg env`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Args)]
pub(crate) struct Env {
    #[command(subcommand)]
    pub(crate) command: EnvCommand,
}

#[derive(Subcommand)]
pub(crate) enum EnvCommand {
    /// Show the arguments of an environment, and the keys of a taskset, harness or judge
    ///
    /// The source of the package is read, not run: below `environments/` and `src/` of the project around this folder, in its `.venv`, or in a
    /// checkout of prime-rl.
    Show {
        /// The `id` by which a config names it, such as my-env or owner/my-env
        id: String,
    },
}

#[derive(Args)]
pub(crate) struct Schema {
    #[command(subcommand)]
    pub(crate) command: SchemaCommand,
}

#[derive(Subcommand)]
pub(crate) enum SchemaCommand {
    /// Show a key, or the keys of a table, as the target has them
    Show {
        /// A dotted key, such as trainer.model.lora; nothing for the whole file
        #[arg(default_value = "")]
        key: String,
    },
    /// Show what a key was at which time
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
    /// Read the config classes of a checkout of prime-rl, for a target that cfg does not know: a fork, or a newer one
    ///
    /// The modules in which the checkout defines its configs are read, not run. What they are is written as an entry of its own, which
    /// `--target local:NAME` and `target = "local:NAME"` in cfg.toml name. prime-rl's own checks and its loader are those of the known point that
    /// is nearest; what differs from it is printed.
    Import(Import),
    /// Write the configs of the target as JSON Schemas, for editors and linters of TOML
    ///
    /// Without `-o` the schema of one kind is printed: rl, unless --kind states another.
    Export {
        /// Write `<KIND>.json` for each kind, or for the one that --kind states, into this folder
        #[arg(short = 'o', long = "output", value_name = "DIR")]
        folder: Option<PathBuf>,
    },
}

#[derive(Args)]
pub(crate) struct Import {
    /// The folder into which prime-rl was cloned
    #[arg(value_name = "PATH-TO-PRIME-RL")]
    pub(crate) checkout: PathBuf,
    /// The name of the entry, instead of that of the folder
    #[arg(long, value_name = "NAME", conflicts_with = "output")]
    pub(crate) name: Option<String>,
    /// Write the entry to this file, instead of .cfg/schemas/NAME.schema
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
