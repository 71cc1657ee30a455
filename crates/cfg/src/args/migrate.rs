//! The arguments of `cfg migrate`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the command line")]
pub(crate) struct Migrate {
    /// Configs with their `toml_files`, folders, or - for standard input
    #[arg(value_name = "PATH", required_unless_present = "all")]
    pub(crate) paths: Vec<PathBuf>,
    /// Migrate all configs of the repository around this folder
    #[arg(long, conflicts_with = "paths")]
    pub(crate) all: bool,
    /// The new prime-rl; by default what the project installs or pins, else the newest release
    #[arg(long, value_name = "TARGET")]
    pub(crate) to: Option<String>,
    /// The old prime-rl; by default what the file or the project states, else what its keys fit
    #[arg(long, value_name = "TARGET")]
    pub(crate) from: Option<String>,
    /// Write the changes to the files, or to standard output for standard input
    #[arg(long)]
    pub(crate) write: bool,
    /// Show what --write would change; exits with 1 if that is anything
    #[arg(long, conflicts_with = "write")]
    pub(crate) diff: bool,
    /// For CI: exit with 1 if there is anything to change or decide
    #[arg(long, conflicts_with_all = ["write", "diff"])]
    pub(crate) check: bool,
    /// Report each file in detail, not only the summary of several
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Also make changes that may alter the meaning, and remove keys without a replacement
    #[arg(long)]
    pub(crate) unsafe_fixes: bool,
    /// Keep the meaning: write out the old default of each key whose default changed
    #[arg(long)]
    pub(crate) keep_defaults: bool,
    /// The path to assume for standard input
    #[arg(long, value_name = "PATH")]
    pub(crate) stdin_filename: Option<PathBuf>,
}
