//! The words of the command line.

mod runs;

use std::path::PathBuf;

use cfg_schema::Kind;
use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use runs::{RunAdd, RunCommand, RunFinish, RunList, RunStatus, Runs};

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
    /// A config in TOML; for `cfg compile` alone
    Toml,
    /// A picture; for `cfg curriculum` and `cfg log --graph`
    Svg,
    /// A flowchart of Mermaid; for `cfg log --graph` alone
    Mermaid,
    /// A graph for Graphviz; for `cfg log --graph` alone
    Dot,
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
    /// Print what prime-rl makes of a config: every value, defaults included
    ///
    /// Without further options the resolved config is printed as JSON, with the members and values of prime-rl's own dump. With `--format
    /// toml` it is printed as a config that the same prime-rl accepts and resolves to the same values: every value is written
    /// out, so that later changes of defaults don't touch it, except where writing it would change its meaning (a random name, a value that a
    /// check always sets itself); these are listed on standard error.
    ///
    /// Ends with 0, with 1 where the config has errors or `--diff` finds a difference, and with 2 where it could not do its work.
    Compile(Compile),
    /// Tell what differs between two configs, by the values that prime-rl would run with
    ///
    /// Values are grouped by what they are about: training (it changes the result), resources (GPUs, parallelism, memory), operations
    /// (names, logging, what is kept). Where the sides are for different versions of prime-rl, what somebody changed is told apart from
    /// what changed by itself: another default, a key that came or went.
    ///
    /// Ends with 0 where both mean the same, with 1 where they differ, and with 2 where it could not compare them.
    Diff(Diff),
    /// Tell what each GPU and the disk have to hold, and whether they can
    Memory(Memory),
    /// Draw at which training step each phase of a curriculum begins
    ///
    /// An environment with a curriculum counts samples, and knows nothing of training steps; whether its count agrees with them
    /// depends on `samples_per_step`, `batch_size`, and what is filtered. Where that leaves a span of steps, the span is shown.
    Curriculum(Curriculum),
    /// Make a version of a config: its metadata, its kept text and the registry, all at once
    ///
    /// The step from the version before is worked out from what the config means: a change of what is trained is major, of the machines minor,
    /// of names and logging patch. Where only comments changed, no version is made.
    ///
    /// Ends with 0, with 1 where there is nothing to make a version of, and with 2 where it could not do its work.
    Bump(Bump),
    /// Show the versions of a config, or of all, and where they come from
    Log(Log),
    /// Print the exact text of a version
    Show(Show),
    /// Make a file again what a version of it was
    Restore(Restore),
    /// Look after the registry of the configs
    Registry(Registry),
    /// Keep a log of training runs, each tied to the version of the config that ran
    Run(Runs),
    /// Look at what prime-rl's configs are made of, now and before
    Schema(Schema),
    /// Answer an editor, over the standard streams
    Lsp,
    /// Explain a code, such as PRL101 or unknown-key
    Explain(Explain),
}

#[derive(Args)]
pub(crate) struct Check {
    /// Files, folders, or - for standard input
    #[arg(value_name = "PATH", default_value = ".")]
    pub(crate) paths: Vec<PathBuf>,
    /// A launch command, such as: uv run rl @ a.toml @ b.toml --max-steps 5
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "paths")]
    pub(crate) command: Vec<String>,
    /// Let the environment's variables set values, where the target reads any
    #[arg(long)]
    pub(crate) env: bool,
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
    /// The config; of several, each is laid over those before it
    #[arg(value_name = "FILE", required_unless_present = "command")]
    pub(crate) paths: Vec<PathBuf>,
    /// A launch command, such as: uv run rl @ a.toml @ b.toml --max-steps 5
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "paths")]
    pub(crate) command: Vec<String>,
    /// Let the environment's variables set values, where the target reads any
    #[arg(long)]
    pub(crate) env: bool,
    #[command(flatten)]
    pub(crate) output: CompileOutput,
}

/// What `cfg compile` prints or writes.
#[derive(Args)]
pub(crate) struct CompileOutput {
    /// Write the files that prime-rl's launcher writes for the processes it starts into this folder
    #[arg(short = 'o', long = "output", value_name = "DIR", conflicts_with_all = ["explain", "diff", "diff_target"])]
    pub(crate) folder: Option<PathBuf>,
    /// Replace files of the folder that differ; without it nothing is written where one does
    #[arg(long, requires = "folder")]
    pub(crate) overwrite: bool,
    /// Say where each value comes from, or those of a key and below it
    #[arg(long, value_name = "KEY", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["diff", "diff_target"])]
    pub(crate) explain: Option<String>,
    /// Compare the resolved values with those of another config, or of the same config at another target (0.6.0);
    /// ends with 1 where they differ
    #[arg(long, value_name = "FILE|TARGET")]
    pub(crate) diff: Option<String>,
    /// The target of the other side of the comparison
    #[arg(long, value_name = "TARGET")]
    pub(crate) diff_target: Option<String>,
}

#[derive(Args)]
pub(crate) struct Bump {
    /// The config
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,
    /// How great the step is; worked out where it is not given
    #[arg(value_enum)]
    pub(crate) level: Option<Level>,
    /// What was changed, and why
    #[arg(short, long, value_name = "WHY")]
    pub(crate) message: String,
    /// The version that it comes from (path:v3), where that is not the one before
    #[arg(long, value_name = "FILE:VERSION")]
    pub(crate) based_on: Option<String>,
    /// Make a version also where only comments changed, prime-rl refuses the config, or it holds a secret
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Level {
    /// Another training
    Major,
    /// The same training on other machines
    Minor,
    /// Other names or logging
    Patch,
}

impl From<Level> for cfg_registry::fingerprint::Level {
    fn from(level: Level) -> Self {
        match level {
            Level::Major => Self::Major,
            Level::Minor => Self::Minor,
            Level::Patch => Self::Patch,
        }
    }
}

#[derive(Args)]
pub(crate) struct Log {
    /// The config; nothing for all of them
    #[arg(value_name = "FILE")]
    pub(crate) path: Option<PathBuf>,
    /// Draw which version comes from which, over all configs; also as mermaid, dot, svg or json
    #[arg(long)]
    pub(crate) graph: bool,
}

#[derive(Args)]
pub(crate) struct Show {
    /// The version, such as configs/a.toml:v2; without one the current version
    #[arg(value_name = "FILE:VERSION")]
    pub(crate) reference: String,
}

#[derive(Args)]
pub(crate) struct Restore {
    /// The version, such as configs/a.toml:v2
    #[arg(value_name = "FILE:VERSION")]
    pub(crate) reference: String,
    /// Replace the file also where what it holds is no version
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args)]
pub(crate) struct Registry {
    #[command(subcommand)]
    pub(crate) command: RegistryCommand,
}

#[derive(Subcommand)]
pub(crate) enum RegistryCommand {
    /// Make an empty registry.json
    Init {
        /// The folder in which its paths begin
        #[arg(value_name = "FOLDER", default_value = ".")]
        folder: PathBuf,
    },
    /// Say what is wrong between the registry, the configs and what is kept of them
    Verify(Verify),
    /// List the configs
    List {
        /// The registry, or a path below it
        #[arg(value_name = "PATH", default_value = ".")]
        path: PathBuf,
    },
    /// Take configs into the registry, with what their headers say and their git history, and repair what it lacks
    ///
    /// What the registry says already stays. Versions get the text that they stood for, as far as headers and commits tell; configs whose
    /// file is gone are marked as removed, and keep their versions. The configs themselves are not touched.
    Adopt {
        /// Configs, or folders of them
        #[arg(value_name = "PATH", default_value = ".")]
        paths: Vec<PathBuf>,
        /// Say what would be done, and write nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Remove kept texts that no version names
    Gc {
        /// The registry, or a path below it
        #[arg(value_name = "PATH", default_value = ".")]
        path: PathBuf,
        /// Say how many there are, and remove none
        #[arg(long)]
        dry_run: bool,
    },
}

#[derive(Args)]
pub(crate) struct Verify {
    /// The registry, or a path below it
    #[arg(value_name = "PATH", default_value = ".")]
    pub(crate) path: PathBuf,
    /// Take findings of this severity as errors
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub(crate) deny: Option<Deny>,
}

#[derive(Args)]
pub(crate) struct Diff {
    /// A config: a file, a version in the registry (rl.toml:v2) or a file of a git revision (main:rl.toml); behind an @ its target
    #[arg(value_name = "CONFIG")]
    pub(crate) one: String,
    /// The other config; without it the first one is compared with itself at another target
    #[arg(value_name = "OTHER")]
    pub(crate) other: Option<String>,
    /// The prime-rl of the other side
    #[arg(long, value_name = "TARGET")]
    pub(crate) to_target: Option<String>,
}

#[derive(Args)]
pub(crate) struct Curriculum {
    /// The config
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,
}

#[derive(Args)]
pub(crate) struct Memory {
    /// The config, or the split files of one run
    #[arg(value_name = "FILE", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// The machine ("2x H100"), or `all` for what would become of the run on every known card
    #[arg(long, value_name = "GPU")]
    pub(crate) gpu: Option<String>,
    /// The model's config.json, for a model that is not known by its name
    #[arg(long, value_name = "FILE")]
    pub(crate) model_config: Option<PathBuf>,
    /// Show the trainer's peak for sequence lengths from 512 tokens to the model's context
    #[arg(long)]
    pub(crate) sweep: bool,
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
