//! The arguments of `cfg migrate`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the command line")]
pub(crate) struct Migrate {
    /// The configs, folders of configs, or - for standard input; files in their `toml_files` are included
    #[arg(value_name = "PATH", required_unless_present = "all")]
    pub(crate) paths: Vec<PathBuf>,
    /// Migrate all configs of the repository around this folder
    #[arg(long, conflicts_with = "paths")]
    pub(crate) all: bool,
    /// The prime-rl to migrate to (same as `--target`): a release (0.8.0), a commit, a date or main; by default the one that the project has installed
    /// or pinned, or else the newest release
    #[arg(long, value_name = "TARGET")]
    pub(crate) to: Option<String>,
    /// The prime-rl version to migrate from; by default what the file or project states, or stated before, or what its keys fit
    #[arg(long, value_name = "TARGET")]
    pub(crate) from: Option<String>,
    /// Write the changes to the files, or to standard output for standard input
    #[arg(long)]
    pub(crate) write: bool,
    /// Show what --write would change without writing; exits with 1 if there are changes
    #[arg(long, conflicts_with = "write")]
    pub(crate) diff: bool,
    /// Only report, and exit with 1 if there is anything to change or to decide: for CI
    #[arg(long, conflicts_with_all = ["write", "diff"])]
    pub(crate) check: bool,
    /// Report each file in detail, not only the summary of several
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Also make changes that may alter the config's meaning, and remove keys without a replacement
    #[arg(long)]
    pub(crate) unsafe_fixes: bool,
    /// Write out the old default of each key whose default changed, to keep the config's meaning
    #[arg(long)]
    pub(crate) keep_defaults: bool,
    /// The path to assume for standard input
    #[arg(long, value_name = "PATH")]
    pub(crate) stdin_filename: Option<PathBuf>,
}
