//! The arguments of the servers for editors and coding assistants, and of the instructions for assistants.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Args)]
pub(crate) struct Lsp {
    /// The machine ("2x H100"), overriding the configs; `local` asks nvidia-smi
    #[arg(long, value_name = "GPU")]
    pub(crate) gpu: Option<String>,
}

#[derive(Args)]
pub(crate) struct Mcp {
    /// The folders in which configs, logs and sources are read; relative paths of a call start at the first
    #[arg(value_name = "ROOT", default_value = ".")]
    pub(crate) roots: Vec<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Skill {
    #[command(subcommand)]
    pub(crate) command: SkillCommand,
}

#[derive(Subcommand)]
pub(crate) enum SkillCommand {
    /// Write the instructions to the project folders that assistants read: .claude/skills/cfg and .agents/skills/cfg
    ///
    /// A file that you have changed is kept, unless --force is given; one that an earlier cfg wrote is updated. Nothing is written
    /// through a link.
    ///
    /// Exit status: 0 if successful, 1 if an edited file was left unchanged, 2 on failure.
    Install(SkillInstall),
    /// Print it
    Show,
}

#[derive(Args)]
pub(crate) struct SkillInstall {
    /// The folder of the project
    #[arg(value_name = "FOLDER", default_value = ".")]
    pub(crate) folder: PathBuf,
    /// Also replace edited files
    #[arg(long)]
    pub(crate) force: bool,
    /// Show what would be written without writing
    #[arg(long)]
    pub(crate) dry_run: bool,
}
