//! The arguments of `cfg fmt`, and of commands that print texts for shells.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
pub(crate) struct Fmt {
    /// The configs, folders in which all configs are formatted, or - for standard input
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Write nothing; name the files that are not formatted, and exit with 1 if there are any
    #[arg(long)]
    pub(crate) check: bool,
    /// Show what would change without writing; exits with 1 if there are changes
    #[arg(long, conflicts_with = "check")]
    pub(crate) diff: bool,
}

#[derive(Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Args)]
pub(crate) struct Man {
    /// The command, such as `check` or `schema import`; omit it for `cfg` itself
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}
