//! The arguments of `cfg generate`: texts for shells and coding assistants.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Args)]
pub(crate) struct Generate {
    #[command(subcommand)]
    pub(crate) command: GenerateCommand,
}

#[derive(Subcommand)]
pub(crate) enum GenerateCommand {
    /// Print shell completions
    ///
    /// bash: `cfg generate completions bash > ~/.local/share/bash-completion/completions/cfg`; zsh: write to `_cfg` in a folder of `$fpath`; fish:
    /// `cfg generate completions fish > ~/.config/fish/completions/cfg.fish`.
    Completions(Completions),
    /// Print the manual page of `cfg`, or of one of its commands
    ///
    /// `cfg generate man check | man -l -` shows one; `cfg generate man > ~/.local/share/man/man1/cfg.1` keeps one for `man cfg`.
    Man(Man),
    /// Install instructions for coding assistants
    Skill(Skill),
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
    /// Print the instructions
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
