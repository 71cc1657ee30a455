//! The words of `cfg hook`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Deny;

#[derive(Args)]
pub(crate) struct Hook {
    #[command(subcommand)]
    pub(crate) command: HookCommand,
}

#[derive(Subcommand)]
pub(crate) enum HookCommand {
    /// Have git run `cfg hook run` before each commit of this repository
    ///
    /// The hook goes where git looks for it: also in a linked work tree, in a submodule, and where the repository sets core.hooksPath. A hook
    /// of somebody else is left alone; then the line is told that it needs.
    Install(HookInstall),
    /// Remove the hook that `cfg hook install` made
    Uninstall,
    /// Check what is staged: what a commit would hold, whatever lies in the working tree
    ///
    /// Looked at are the configs that the commit changes, those that compose one of them by `toml_files`, and the registries that it has a part
    /// in. Settings, bases and kept texts are read as they are staged, too. Files that are no prime-rl configs are passed over.
    ///
    /// Ends with 0, with 1 where something is wrong, and with 2 where it could not do its work; warnings alone are nothing wrong.
    Run(HookRun),
}

#[derive(Args)]
pub(crate) struct HookInstall {
    /// Let the hook take findings of this severity as errors
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub(crate) deny: Option<Deny>,
}

#[derive(Args)]
pub(crate) struct HookRun {
    /// Only files at or below these paths
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Check all that git tracks, as it is staged, not only what a commit would change: for CI
    #[arg(long)]
    pub(crate) all_files: bool,
    /// Take findings of this severity as errors
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub(crate) deny: Option<Deny>,
}
