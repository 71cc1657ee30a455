//! The arguments of `cfg hook`.

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
    /// Install a git hook that runs `cfg hook run` before each commit
    ///
    /// Installs the hook where git looks for it, also in linked work trees, submodules, and with core.hooksPath. Other hooks are never changed; cfg
    /// prints the line to add to them. git then also merges registries with `cfg registry merge`.
    Install(HookInstall),
    /// Remove the hook of `cfg hook install`
    Uninstall,
    /// Check staged files, regardless of the working tree
    ///
    /// Checks the configs that the commit changes, those that include one of them with `toml_files`, the launches that use a changed config or script,
    /// and the registries involved. Settings, bases
    /// and stored texts are also read as staged. Files that are not prime-rl configs are skipped.
    ///
    /// Exit status: 0 if there are no errors (warnings do not count), 1 if there are, 2 on failure.
    Run(HookRun),
}

#[derive(Args)]
pub(crate) struct HookInstall {
    /// What makes the hook fail besides errors; can be repeated
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    pub(crate) deny: Vec<Deny>,
}

#[derive(Args)]
pub(crate) struct HookRun {
    /// Check only files at or below these paths
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Check all files that git tracks, not only those a commit would change: for CI
    #[arg(long)]
    pub(crate) all_files: bool,
    /// What makes the command fail besides errors; can be repeated
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    pub(crate) deny: Vec<Deny>,
}
