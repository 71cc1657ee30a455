//! The arguments of `cfg diff`.

use clap::Args;

#[derive(Args)]
pub(crate) struct Diff {
    /// A config: a file, a registered version (rl.toml:v2) or a file of a git revision (main:rl.toml); append @TARGET for a target
    #[arg(value_name = "CONFIG")]
    pub(crate) one: String,
    /// The other config; if omitted, a file is compared with its registered version, or else with HEAD, and with --to-target at two targets
    #[arg(value_name = "OTHER")]
    pub(crate) other: Option<String>,
    /// The prime-rl version of the other side
    #[arg(long, value_name = "TARGET")]
    pub(crate) to_target: Option<String>,
    /// Write Markdown for a pull request: changes, their class, and the memory before and now
    #[arg(long)]
    pub(crate) markdown: bool,
}
