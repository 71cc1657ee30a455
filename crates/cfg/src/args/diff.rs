//! The arguments of `cfg diff`.

use clap::Args;

#[derive(Args)]
pub(crate) struct Diff {
    /// Two configs, or one: a file, a registered version (rl.toml:v2) or a file of a git revision (main:rl.toml), which is read with the settings and pins
    /// of that revision; append @TARGET for a target. One file is compared with its registered version, or else with HEAD, and with --to-target at two
    /// targets. With --since, the files and folders to compare
    #[arg(value_name = "CONFIG", required_unless_present = "since")]
    pub(crate) configs: Vec<String>,
    /// Compare all configs with those of a git revision: which mean something else, are for another prime-rl, new, renamed or deleted
    #[arg(long, value_name = "REVISION", conflicts_with = "to_target")]
    pub(crate) since: Option<String>,
    /// The prime-rl version of the other side
    #[arg(long, value_name = "TARGET")]
    pub(crate) to_target: Option<String>,
    /// Write Markdown for a pull request: changes, their class, and the memory before and now
    #[arg(long)]
    pub(crate) markdown: bool,
}
