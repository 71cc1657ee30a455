//! The arguments of `cfg migrate`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the command line")]
pub(crate) struct Migrate {
    /// Configs with their `toml_files`, folders, or - for standard input
    #[arg(value_name = "PATH", required_unless_present = "all")]
    pub(crate) paths: Vec<PathBuf>,
    /// Migrate all configs of this repository
    #[arg(long, conflicts_with = "paths")]
    pub(crate) all: bool,
    /// The new prime-rl; by default what the project installs or pins, else the newest release
    #[arg(long, value_name = "TARGET")]
    pub(crate) to: Option<String>,
    /// The old prime-rl; by default what the file or the project states, else what its keys fit
    #[arg(long, value_name = "TARGET")]
    pub(crate) from: Option<String>,
    /// Write the changes to the files; for -, print them
    #[arg(long)]
    pub(crate) write: bool,
    /// Show what --write would change
    #[arg(long, conflicts_with = "write")]
    pub(crate) diff: bool,
    /// Exit with 1 if anything is left to do, for CI
    #[arg(long, conflicts_with_all = ["write", "diff"])]
    pub(crate) check: bool,
    /// Report each file in detail, not a summary
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Also change and remove what may alter the meaning
    #[arg(long)]
    pub(crate) unsafe_fixes: bool,
    /// Write out each old default that has changed
    #[arg(long)]
    pub(crate) keep_defaults: bool,
    /// The path to assume for standard input
    #[arg(long, value_name = "PATH")]
    pub(crate) stdin_filename: Option<PathBuf>,
}
