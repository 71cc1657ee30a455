//! The arguments of `cfg fmt`.

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
