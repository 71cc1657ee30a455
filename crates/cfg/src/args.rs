//! The arguments of the command line.

mod diff;
mod draft;
mod fmt;
mod formats;
mod former;
mod generate;
mod help;
mod hook;
mod inputs;
mod kind;
mod machine;
mod migrate;
mod named;
mod registry;
mod runs;
mod schema;
mod servers;

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use cfg_project::FilePattern;
use clap::{
    Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand,
    error::{ContextKind, ContextValue, ErrorKind},
};
pub(crate) use diff::Diff;
pub(crate) use draft::{Ci, Init, New, Sweep};
pub(crate) use fmt::Fmt;
pub(crate) use formats::{Color, Format};
pub(crate) use generate::{Completions, Generate, GenerateCommand, Man, SkillCommand, SkillInstall};
pub(crate) use hook::{Hook, HookCommand, HookInstall, HookRun};
pub(crate) use machine::{Estimate, Gpu, Memory, Model, Plan};
pub(crate) use migrate::Migrate;
pub(crate) use registry::{Bump, DenyOfRegistry, Log, Merge, Registry, RegistryCommand, Restore, Show, Verify};
pub(crate) use runs::{
    Diagnose, Launch, Preflight, Report, Resume, RunAdd, RunClose, RunCommand, RunCompare, RunList, RunStatus, Runs, Watch,
};
pub(crate) use schema::{Env, Import, Schema, SchemaCommand};
pub(crate) use servers::{Lsp, Mcp};

pub(crate) use crate::control::Deny;

/// Check prime-rl configs before you rent a GPU.
#[derive(Parser)]
#[command(name = "cfg", version, long_version = version(), max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The version of this program, and of which prime-rl it knows.
fn version() -> &'static str {
    static TEXT: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| {
        let history = cfg_schema::History::built_in();
        format!("{}\nprime-rl: {}", env!("CARGO_PKG_VERSION"), crate::commands::schema::extent(history))
    });
    &TEXT
}

impl Arguments {
    /// The command line as a clap command: each command has its own formats, and all commands are in groups.
    pub(crate) fn words() -> clap::Command {
        help::group(formats::offer(Self::command()))
    }

    /// Parses the command line of this process.
    pub(crate) fn read() -> Result<Self, Unread> {
        let words = former::today(std::env::args_os().collect());
        // Most starts check something, some of them at each keystroke or commit: for these, no other command is made. What is wrong with the words of one
        // that is not understood is said with all commands.
        if former::command(&words).first().is_some_and(|word| word == "check")
            && let Ok(arguments) = Self::parse_as(formats::offer(Self::of_check()), &words)
        {
            return Ok(arguments);
        }
        // Only the help has the groups, so no other start pays for them.
        Self::parse_as(formats::offer(Self::command()), &words).map_err(|error| match error.kind() {
            ErrorKind::DisplayHelp => Unread::Help { words, is_incomplete: false },
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Unread::Help { words, is_incomplete: true },
            ErrorKind::InvalidSubcommand => Unread::Error(with_check_of_file(error)),
            ErrorKind::UnknownArgument => Unread::Error(with_comparison(error, &former::command(&words))),
            _ => Unread::Error(error),
        })
    }

    /// The command line as a clap command with the one command `check`.
    fn of_check() -> clap::Command {
        let check = Check::augment_args(clap::Command::new("check"));
        Common::augment_args(clap::Command::new("cfg")).subcommand(check)
    }

    fn parse_as(mut command: clap::Command, words: &[OsString]) -> Result<Self, clap::Error> {
        let matches = command.try_get_matches_from_mut(words)?;
        let arguments = Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
        formats::check(&mut command, &matches, &arguments)?;
        Ok(arguments)
    }
}

/// What a command line has in place of arguments for a command.
pub(crate) enum Unread {
    /// A request for help, or too little to know what is wanted.
    Help { words: Vec<OsString>, is_incomplete: bool },
    /// An error, or a request for the version.
    Error(clap::Error),
}

/// Where a file is given in place of a command, the command that was most likely meant.
fn with_check_of_file(mut error: clap::Error) -> clap::Error {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else { return error };
    let is_path = word.contains(['/', '\\']) || Path::new(word).extension().is_some_and(|ending| ending == "toml") || word == ".";
    if is_path {
        let tip = format!("to check it, write `cfg check {word}`");
        error.remove(ContextKind::SuggestedSubcommand);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// Where a resolved config is to be compared, the command that does it.
fn with_comparison(mut error: clap::Error, command: &[String]) -> clap::Error {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else { return error };
    if option == "--diff" && command.first().is_some_and(|word| word == "compile") {
        let tip = "`cfg diff` compares two configs, or one with its registered version or at another target".to_owned();
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// The options of every command.
#[derive(Args, Clone)]
#[command(next_help_heading = "For every command")]
pub(crate) struct Common {
    /// prime-rl version: 0.4.0, latest, a commit, a date, main
    #[arg(long, global = true, value_name = "TARGET")]
    pub(crate) target: Option<String>,
    /// What a config is for: rl, sft, ..., hosted, a script
    #[arg(long, global = true, value_name = "KIND", value_parser = kind::parse_kind, hide_possible_values = true)]
    kind: Option<kind::StatedKind>,
    /// The output format
    #[arg(long, global = true, value_enum, default_value_t = Format::Full)]
    pub(crate) format: Format,
    /// When to use colors
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto)]
    pub(crate) color: Color,
    /// The settings file, instead of the nearest cfg.toml
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) settings: Option<PathBuf>,
    /// Print only the result and errors: no notes, no summary
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Read only in this folder (repeatable) and write nothing: how `cfg mcp` starts commands
    #[arg(long, global = true, hide = true, value_name = "DIR")]
    pub(crate) within: Vec<PathBuf>,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Check configs, or folders of configs
    ///
    /// Exit status: 0 without errors, 1 with errors (or warnings, with `--deny warnings`; or changes, with --diff), 2 on failure.
    Check(Check),
    /// Print the resolved config: every value that prime-rl would use, including defaults
    ///
    /// The output is a config that the same prime-rl accepts and resolves to the same values: every value is written out, so that later changes of
    /// defaults do not affect it. Values that can't be written without changing their meaning (a random name, a value that prime-rl always sets
    /// itself) are listed on standard error. `--format json` prints the members and values of prime-rl's own dump.
    ///
    /// Exit status: 0 if successful, 1 if the config has errors, 2 on failure.
    Compile(Compile),
    /// Compare two configs by the values that prime-rl would use
    ///
    /// Values are grouped into training (affects the result), resources (GPUs, parallelism, memory) and operations (names, logging, checkpoints).
    /// If the two sides are for different versions of prime-rl, edits are listed separately from changes of prime-rl itself: changed defaults,
    /// added or removed keys.
    ///
    /// Exit status: 0 if both mean the same, 1 if they differ, 2 if they can't be compared.
    Diff(Diff),
    /// Estimate GPU memory and disk use, and whether they fit
    ///
    /// The machine is taken from `--gpu`, else from `hardware` in the config's metadata block, else from its entry in registry.json, else from
    /// `gpu` in the project's settings. Unknown models are looked up in the local Hugging Face cache.
    ///
    /// Exit status: 0 if everything fits, 1 if a GPU or the disk is too small, 2 on failure.
    Memory(Memory),
    /// Estimate the duration and cost of a run on each card that it fits on
    ///
    /// The trainer's speed comes from a model fitted on prime-rl's own benchmark runs, with its error; the speed of vLLM is a range; the time of
    /// the environment is unknown, and set with --env-seconds. Guesses are marked.
    ///
    /// Exit status: 0 if successful, 1 if the config has errors or fits on none of the cards, 2 on failure.
    Estimate(Estimate),
    /// Set up cfg in this folder: settings, a git hook, a CI file
    ///
    /// Shows what it would write and what `cfg check` finds before and after, and asks for confirmation. The settings name a prime-rl version only if
    /// nothing here or below does. Existing files are never changed: what to add to them is printed.
    ///
    /// Exit status: 0 if successful, 2 on failure.
    Init(Init),
    /// Write a config for a model, a machine and an environment, with a reason for every value
    ///
    /// Settings are tried in order of preference until `cfg check` reports nothing and `cfg memory` says that it fits with a margin: long sequences
    /// first, then full fine-tuning, then adapters. The keys are those of the target. What cfg can't know but matters for the run is printed to
    /// standard error.
    ///
    /// Exit status: 0 if successful, 1 if no config fits on the machine, 2 on failure.
    New(New),
    /// Write a variant of a config for each combination of some values
    ///
    /// `cfg sweep rl.toml trainer.optim.lr=1e-6,3e-6 orchestrator.group_size=8,16 -o sweep` makes four. Each is checked and fitted into memory
    /// before anything is written, and those that would fail are refused with the reason. Each has its own output folder, and states what it is a
    /// variant of. Without -o nothing is written.
    ///
    /// Exit status: 0 if successful, 1 if a variant is refused, 2 on failure.
    Sweep(Sweep),
    /// List known cards and machines, or show one
    Gpu(Gpu),
    /// Show what is known about a model, and on which cards it can be trained
    ///
    /// Its architecture, parsers and renderer, its known issues, and how many GPUs of each card a run needs: the smallest of 1, 2, 4 and 8 for which
    /// `cfg new` finds a config.
    ///
    /// Exit status: 0 if the model has no known issues, 1 if it has, 2 on failure.
    Model(Model),
    /// Rewrite configs for another prime-rl version
    ///
    /// Rewrites keys that moved, were renamed or take another value, if that keeps the config's meaning. Lists what only you can decide, and the values
    /// that differ because a default changed, with what to write to keep them. In a folder, settings and launch commands are migrated too. Nothing is
    /// written without --write.
    ///
    /// Exit status: 0 if nothing is left to do, 1 if something is left to decide, or --diff or --check shows a change, 2 on failure.
    Migrate(Migrate),
    /// Format the spacing and blank lines of configs
    ///
    /// One space around `=`, one blank line before a table, no indentation. Values, arrays, comments and the order stay as they are; a file with a
    /// syntax error is left alone. In folders, files of other programs are left out.
    ///
    /// Exit status: 0 if successful, 1 if --check or --diff shows a file that is not formatted, 2 on failure.
    Fmt(Fmt),
    /// Show the steps of a run: rollouts, totals, checkpoints and evaluations
    ///
    /// Rollouts and problems per step and in total, passes over the problems, tokens per rollout and what is left for the prompt, the steps of
    /// checkpoints and evaluations, the disk needed. Several files form a split run.
    ///
    /// Exit status: 0 if successful, 1 if the config has errors, 2 on failure.
    Plan(Plan),
    /// Register a new version of a config
    ///
    /// Updates the metadata, the stored text and the registry in one transaction. The version step is derived from the change: training is major,
    /// resources minor, names and logging patch. If only comments changed, no version is made.
    ///
    /// Exit status: 0 if successful, 1 if there is nothing to register, 2 on failure.
    Bump(Bump),
    /// Show the versions of one or all configs, and their parents
    Log(Log),
    /// Manage the config registry, and its stored versions
    Registry(Registry),
    /// Check staged configs before each git commit
    Hook(Hook),
    /// Start, watch, resume and diagnose runs, and keep a log of them
    Run(Runs),
    /// Show prime-rl's config schema, now and in earlier versions
    Schema(Schema),
    /// Show the arguments of an environment, and the keys of a taskset, harness or judge
    ///
    /// The package's source is read, not run: in the folders of the project, such as `environments/`, in its `.venv`, or in a prime-rl checkout.
    Env(Env),
    /// Start the language server on standard input and output
    Lsp(Lsp),
    /// Start an MCP server for coding assistants on standard input and output
    ///
    /// A server of the Model Context Protocol with tools such as check, fix, explain, schema, memory, compile, diff, migrate and diagnose. All are read-only and confined to
    /// the folders given here. Each answer is limited in time and length. See docs/mcp.md for setup.
    Mcp(Mcp),
    /// Explain a code, such as PRL101 or unknown-key
    Explain(Explain),
    /// Write what other programs read: shell completions, manual pages, instructions for coding assistants
    Generate(Generate),
}

#[derive(Args, Default)]
pub(crate) struct Check {
    /// Files, folders, or - for standard input
    #[arg(value_name = "PATH", default_value = ".")]
    pub(crate) paths: Vec<PathBuf>,
    /// A launch command, such as `uv run rl @ a.toml --max-steps 5`
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "paths")]
    pub(crate) command: Vec<String>,
    /// Apply the environment variables of prime-rl
    #[arg(long)]
    pub(crate) env_vars: bool,
    /// The path to assume for standard input
    #[arg(long, value_name = "PATH")]
    pub(crate) stdin_filename: Option<PathBuf>,
    /// Fail on these as well: warnings, stale
    #[arg(long, value_enum, hide_possible_values = true, value_name = "WHAT", value_delimiter = ',', help_heading = crate::control::WHAT_COUNTS)]
    pub(crate) deny: Vec<Deny>,
    /// Skip files that are not configs, for hooks
    #[arg(long)]
    pub(crate) configs_only: bool,
    /// Skip files in folders: `old`, `*.debug.toml`
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<FilePattern>,
    /// The machine instead of the configs': "2x H100"
    #[arg(long, alias = "hardware", value_name = "GPU")]
    pub(crate) gpu: Option<String>,
    /// Check again whenever a file changes
    #[arg(long, conflicts_with_all = ["fix", "diff", "add_ignore", "update_baseline", "show_files", "show_settings", "stdin_filename"])]
    pub(crate) watch: bool,
    #[command(flatten)]
    pub(crate) control: crate::control::Control,
}

#[derive(Args)]
pub(crate) struct Compile {
    /// The config; later files override earlier ones; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "command")]
    pub(crate) paths: Vec<PathBuf>,
    /// A launch command, such as `uv run rl @ a.toml --max-steps 5`
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "paths")]
    pub(crate) command: Vec<String>,
    /// Apply the environment variables of prime-rl
    #[arg(long)]
    pub(crate) env_vars: bool,
    #[command(flatten)]
    pub(crate) output: CompileOutput,
}

/// Options for what `cfg compile` prints or writes.
#[derive(Args)]
pub(crate) struct CompileOutput {
    /// Write the launcher's files for the processes it starts to this folder
    #[arg(short = 'o', long = "output", value_name = "DIR", conflicts_with = "explain")]
    pub(crate) folder: Option<PathBuf>,
    /// Replace existing files; without it nothing is written if one differs
    #[arg(long, requires = "folder")]
    pub(crate) overwrite: bool,
    /// Show where each value comes from, or only those of a key and below
    #[arg(long, value_name = "KEY", num_args = 0..=1, default_missing_value = "")]
    pub(crate) explain: Option<String>,
}

#[derive(Args)]
pub(crate) struct Explain {
    /// A code or a name; lists all if omitted
    pub(crate) code: Option<String>,
}

/// Prints the help that a command line asks for.
pub(crate) fn print_help(words: &[OsString], is_incomplete: bool) -> std::io::Result<()> {
    help::print(words, is_incomplete)
}

/// Whether the command line of this process, which can't be parsed, requests JSON.
pub(crate) fn asks_for_json() -> bool {
    let words = former::today(std::env::args_os().collect());
    let words: Vec<OsString> = words.into_iter().take_while(|word| word != "--").collect();
    let is_json = |format: &str| matches!(format, "json" | "json-lines");
    let together = words.iter().filter_map(|word| word.to_str()?.strip_prefix("--format="));
    let apart = words.windows(2).filter(|pair| pair[0] == "--format").filter_map(|pair| pair[1].to_str());
    together.chain(apart).any(is_json)
}

#[cfg(test)]
mod tests {
    use clap::{ArgMatches, Command, CommandFactory as _};

    use super::{Arguments, formats};

    /// The words that each option and argument was given, or why they are not understood.
    fn read(mut command: Command, line: &str) -> Result<Vec<String>, String> {
        let found = |matches: &ArgMatches| -> Vec<String> {
            let raw =
                |id: &str| matches.get_raw(id).map(|values| values.map(|value| value.to_string_lossy().into_owned()).collect());
            let one = |id: &clap::Id| {
                format!("{id}: {:?} {:?}", matches.value_source(id.as_str()), raw(id.as_str()).unwrap_or_else(Vec::new))
            };
            let is_argument = |id: &&clap::Id| matches.try_get_raw(id.as_str()).is_ok();
            let mut all: Vec<String> = matches.ids().filter(is_argument).map(one).collect();
            all.sort();
            all
        };
        let matches = command.try_get_matches_from_mut(line.split(' ')).map_err(|error| error.kind().to_string())?;
        let (_, check) = matches.subcommand().ok_or("no command")?;
        Ok(found(&matches).into_iter().chain(found(check)).collect())
    }

    #[test]
    fn the_words_of_a_check_are_read_as_with_all_commands() {
        for line in [
            "cfg check",
            "cfg check a.toml b --format json --target=0.4.0",
            "cfg --quiet --format concise check - --stdin-filename x.toml --deny warnings",
            "cfg check --kind rl --select PRL301,PRL302 --fix . --exclude old --color never",
            "cfg check --env-vars -- uv run rl @ a.toml --max-steps 5",
            "cfg check --format toml",
            "cfg check --bananas",
            "cfg check --help",
            "cfg check a.toml -- rl @ b.toml",
            "cfg check --watch --fix",
            "cfg check --kind",
        ] {
            assert_eq!(
                read(formats::offer(Arguments::of_check()), line),
                read(formats::offer(Arguments::command()), line),
                "{line}"
            );
        }
    }
}
