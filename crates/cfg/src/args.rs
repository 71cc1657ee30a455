//! The words of the command line.

use std::path::PathBuf;

use cfg_schema::Kind;
use clap::{Args, Parser, Subcommand, ValueEnum};

/// Checks configs of prime-rl before a GPU is rented.
#[derive(Parser)]
#[command(name = "cfg", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command takes.
#[derive(Args)]
pub(crate) struct Common {
    /// The prime-rl that is meant: a release (0.4.0), a commit, a date (2026-01-06) or main
    #[arg(long, global = true, value_name = "TARGET")]
    pub(crate) target: Option<String>,
    /// The entrypoint that the configs are for
    #[arg(long, global = true, value_name = "KIND", value_parser = parse_kind, hide_possible_values = true)]
    pub(crate) kind: Option<Kind>,
    /// How to print what is found
    #[arg(long, global = true, value_enum, default_value_t = Format::Full)]
    pub(crate) format: Format,
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto)]
    pub(crate) color: Color,
    /// The project's settings, instead of the cfg.toml that is found above each file
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Each finding with the lines it is about, 100 of a file at most
    Full,
    /// One line for each finding
    Concise,
    /// One JSON document
    Json,
    /// A JSON document on a line for each finding
    JsonLines,
    /// Annotations in a workflow of GitHub
    Github,
    /// A code quality report for GitLab
    Gitlab,
    /// Test results in XML, a suite for each file
    Junit,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// In a terminal that can show them
    Auto,
    Always,
    Never,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Check configs, or folders of them
    Check(Check),
    /// Print what prime-rl makes of a config: every value, defaults included, as JSON
    Compile(Compile),
    /// Look at what prime-rl's configs are made of, now and before
    Schema(Schema),
    /// Explain a code, such as PRL101 or unknown-key
    Explain(Explain),
}

#[derive(Args)]
pub(crate) struct Check {
    /// Files, folders, or - for standard input
    #[arg(value_name = "PATH", default_value = ".")]
    pub(crate) paths: Vec<PathBuf>,
    /// The path that standard input stands for
    #[arg(long, value_name = "PATH")]
    pub(crate) stdin_filename: Option<PathBuf>,
    /// Take findings of this severity as errors
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub(crate) deny: Option<Deny>,
    #[command(flatten)]
    pub(crate) control: crate::control::Control,
}

#[derive(Args)]
pub(crate) struct Compile {
    /// The config
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Deny {
    Warnings,
}

#[derive(Args)]
pub(crate) struct Schema {
    #[command(subcommand)]
    pub(crate) command: SchemaCommand,
}

#[derive(Subcommand)]
pub(crate) enum SchemaCommand {
    /// Show a key, or the keys of a table, as the target has them
    Show {
        /// A dotted key, such as trainer.model.lora; nothing for the whole file
        #[arg(default_value = "")]
        key: String,
    },
    /// Show what a key was at which time
    History {
        /// A dotted key, such as trainer.model.lora
        key: String,
    },
    /// Show what changed between two targets
    Diff {
        /// The older target
        from: String,
        /// The newer target
        to: String,
    },
}

#[derive(Args)]
pub(crate) struct Explain {
    /// A code or a name; nothing for a list of all
    pub(crate) code: Option<String>,
}

fn parse_kind(text: &str) -> Result<Kind, String> {
    text.parse()
}
