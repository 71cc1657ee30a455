//! The words of the command line.

mod draft;
mod formats;
mod help;
mod hook;
mod machine;
mod named;
mod registry;
mod runs;
mod schema;

use std::{ffi::OsString, path::PathBuf};

use cfg_project::FilePattern;
use cfg_schema::Kind;
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};
pub(crate) use draft::{Ci, Init, New, Sweep};
pub(crate) use formats::{Color, Format};
pub(crate) use hook::{Hook, HookCommand, HookInstall, HookRun};
pub(crate) use machine::{Estimate, Gpu, GpuCommand, Memory, Models, ModelsCheck, ModelsCommand, Plan};
pub(crate) use registry::{Bump, Log, Registry, RegistryCommand, Restore, Show, Verify};
pub(crate) use runs::{Report, Resume, RunAdd, RunCommand, RunCompare, RunFinish, RunList, RunStatus, Runs, Watch};
pub(crate) use schema::{Env, EnvCommand, Import, Schema, SchemaCommand};

/// Checks configs of prime-rl before a GPU is rented.
#[derive(Parser)]
#[command(name = "cfg", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Arguments {
    /// The words as clap knows them: each command with its own formats, all commands in groups.
    pub(crate) fn words() -> clap::Command {
        help::group(formats::offer(Self::command()))
    }

    /// Reads the command line.
    pub(crate) fn read() -> Result<Self, clap::Error> {
        let mut command = Self::words();
        let matches = command.try_get_matches_from_mut(std::env::args_os())?;
        let arguments = Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
        formats::check(&mut command, &matches, &arguments)?;
        Ok(arguments)
    }
}

/// What every command takes.
#[derive(Args, Clone)]
#[command(next_help_heading = "For every command")]
pub(crate) struct Common {
    /// The prime-rl that is meant: a release (0.4.0), a commit, a date (2026-01-06) or main
    #[arg(long, global = true, value_name = "TARGET")]
    pub(crate) target: Option<String>,
    /// What the configs are for: an entrypoint of prime-rl, or hosted training
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
    /// Say nothing but what is asked for, and why it failed: no notes, no closing line
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
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
    ///
    /// The machine is that of `--gpu`, else the `hardware` of the config's block of metadata, else of its entry in registry.json, else the `gpu`
    /// of the project's settings. Models that are not known by their names are looked for in the local copies of the Hugging Face hub.
    ///
    /// Ends with 0, with 1 where a GPU or the disk is too small, and with 2 where it could not do its work.
    Memory(Memory),
    /// Estimate how long a run takes on each card that it fits on: tokens a second, hours, dollars, disk
    ///
    /// The trainer's speed is a model that was fitted on prime-rl's own benchmark runs, and says how far it is off; what vLLM generates is a range of
    /// what is possible; what the environment takes is not known, and is stated with --env-seconds. What is a guess is called one.
    ///
    /// Ends with 0, with 1 where the config has errors or fits on no card that is asked for, and with 2 where it could not do its work.
    Estimate(Estimate),
    /// Begin to use cfg in this folder: settings, the hook of git, a file for CI
    ///
    /// Shows what it would write, and asks. The settings state the prime-rl only where the project around them does not, and the machine that nvidia-smi
    /// lists. A file that exists is never changed.
    ///
    /// Ends with 0, and with 2 where it could not do its work.
    Init(Init),
    /// Write a config for a model, a machine and an environment, in which every value has its reason
    ///
    /// The settings are tried in order of preference until `cfg check` finds nothing wrong and `cfg memory` says that it fits with room: long sequences
    /// first, then full fine-tuning, then adapters. The keys are those of the prime-rl that is meant. What decides whether the run goes well and can't be
    /// known here is printed below the config, to standard error.
    ///
    /// Ends with 0, with 1 where no config for it fits on the machine, and with 2 where it could not do its work.
    New(New),
    /// Make configs of one, with each combination of the values of some settings
    ///
    /// `cfg sweep rl.toml trainer.optim.lr=1e-6,3e-6 orchestrator.group_size=8,16 -o sweep` makes four. Each is checked and put to the memory model before
    /// anything is written, and those in which the run could not go well are refused, with the reason. Each writes to a folder of its own, and states what it
    /// is a variant of. Without -o nothing is written.
    ///
    /// Ends with 0, with 1 where one is refused, and with 2 where it could not do its work.
    Sweep(Sweep),
    /// Tell which cards and machines are known by name
    Gpu(Gpu),
    /// Tell what is known of a model, and on which cards it can be trained
    Models(Models),
    /// Find out from its logs why a run failed or stands still
    ///
    /// Reads logs of any size and kind, looks for errors and symptoms that are known, and says of each what happened, what to do, and which
    /// finding of `cfg check` or `cfg preflight` would have told before. With `--against` it names the lines of the config that have a part in it.
    ///
    /// A run that hangs is told from several logs together: name the whole folder, such as outputs/logs.
    ///
    /// Ends with 0 where nothing was found, with 1 where something was, and with 2 where it could not do its work.
    Diagnose(Diagnose),
    /// Check the machine before a run: GPUs, programs, keys, limits, disk, and what an earlier run left
    ///
    /// Looks, and changes nothing. Each finding says what to do about it; see `cfg explain CODE` for details. Run it on the machine that trains, in the
    /// shell and the folder that start the run.
    ///
    /// Ends with 0, with 1 where something would keep the run from going well, and with 2 where it could not do its work.
    Preflight(Preflight),
    /// Rewrite a config of one prime-rl for another
    ///
    /// Keys that moved, were renamed or take another value are rewritten where that keeps what the config means; comments, order and line ends
    /// stay. What only its author can decide is listed with its place, what became of it and why, and stays as it is. The result is
    /// checked for the new prime-rl, and what both resolve to is compared: values that are others now, because a default changed, are told with
    /// what to write to keep them.
    ///
    /// Nothing is written without --write. Where the file states its prime-rl (`prime_rl = "0.2"` in its block of metadata), it
    /// states the new one afterwards.
    ///
    /// Ends with 0 where nothing is left to do, with 1 where something is to be decided or --diff shows a change, and with 2 where it could
    /// not do its work.
    Migrate(Migrate),
    /// Print the command that starts a run with this prime-rl, with comments why it is so
    ///
    /// The output is a script for a shell: the entrypoint, checkpoints where the config saves none, a log that no later run overwrites. Several files of
    /// different components are the parts of a split run, each with its own command. With `--exec` the checks of `cfg preflight` are made, and if
    /// nothing stands against it the command is run.
    ///
    /// Ends with 0, with 1 where the config, the machine or the run has errors, and with 2 where it could not do its work.
    Launch(Launch),
    /// Tell how a run does: its step and pace, its measures, what is wrong, the disk
    ///
    /// Follows the logs of a run and its `metrics.jsonl` (prime-rl's file monitor), and looks again every half minute until the run is over; with `--once` it looks
    /// once. A measure is wrong where it is out of bounds for ten steps; the bounds are those of `[watch]` in the settings. What is wrong names the lines of the
    /// config that have a part in it. Reads only, and uses no network.
    ///
    /// Ends with 0 where nothing is wrong, with 1 where something is, and with 2 where it could not do its work.
    Watch(Watch),
    /// Write a config, its versions or a run as one page of HTML that needs nothing else
    ///
    /// Findings, the memory of each GPU, what happens at which step, the tokens of a rollout, every value with its origin, what changed since the version
    /// before and why; of a run its measures with the bounds of `cfg watch`. The page loads nothing, so that it can be sent, opened without a
    /// network, and printed.
    ///
    /// Ends with 0, and with 2 where it could not do its work.
    Report(Report),
    /// Tell from which step a run can go on, with which command, and what is lost
    ///
    /// Looks at the folder that a run wrote to: which checkpoints the trainer and the orchestrator have whole, the newest step that both have, the run's id in
    /// Weights & Biases, what the disk has to hold until the end. The config is the one that is named, else the one that the launcher left in the folder.
    /// Nothing is changed, and nothing deleted.
    ///
    /// Ends with 0, with 1 where there is no step to go on from or the run would not go well, and with 2 where it could not do its work.
    Resume(Resume),
    /// Tell what a step of a run is, what all steps come to, and what happens at which
    ///
    /// Rollouts and problems of a step and of the run, how often it passes over its problems, the tokens of a rollout and what is left of them for the
    /// prompt, the steps of checkpoints and evaluations, what the disk has to hold. Several files are the parts of a split run.
    ///
    /// Ends with 0, with 1 where the config has errors, and with 2 where it could not do its work.
    Plan(Plan),
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
    /// Have git check what is about to be committed
    Hook(Hook),
    /// Keep a log of training runs, each tied to the version of the config that ran
    Run(Runs),
    /// Look at what prime-rl's configs are made of, now and before
    Schema(Schema),
    /// Look at what an environment takes, as the source of its package says
    Env(Env),
    /// Answer an editor, over the standard streams
    Lsp,
    /// Print what a shell needs to complete the words of `cfg`
    ///
    /// bash: `cfg completions bash > ~/.local/share/bash-completion/completions/cfg`; zsh: into `_cfg` in a folder of `$fpath`; fish:
    /// `cfg completions fish > ~/.config/fish/completions/cfg.fish`.
    Completions(Completions),
    /// Explain a code, such as PRL101 or unknown-key
    Explain(Explain),
}

#[derive(Args, Default)]
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
    #[arg(long, value_enum, value_name = "SEVERITY", help_heading = crate::control::WHAT_COUNTS)]
    pub(crate) deny: Option<Deny>,
    /// Pass over named files that are no configs, as in a folder: for hooks, which name all TOML files
    #[arg(long)]
    pub(crate) configs_only: bool,
    /// Leave out files that are found in folders, where a part of their path is this: `old`, `*.debug.toml`, `configs/**/tmp`; several may be given
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<FilePattern>,
    /// The machine that the configs are for ("2x H100"), whatever they state; `local` asks nvidia-smi, `list` shows the names
    #[arg(long, alias = "hardware", value_name = "GPU")]
    pub(crate) gpu: Option<String>,
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
pub(crate) struct Diagnose {
    /// Logs, folders of them, or - for standard input, which is read where nothing is named
    #[arg(value_name = "LOG")]
    pub(crate) paths: Vec<PathBuf>,
    /// The config of the run: name its lines that have a part in what is found
    #[arg(long, value_name = "FILE")]
    pub(crate) against: Option<PathBuf>,
    /// List what is known instead
    #[arg(long, conflicts_with_all = ["paths", "against"])]
    pub(crate) list: bool,
}

#[derive(Args)]
pub(crate) struct Preflight {
    /// The config; of several, each is laid over those before it
    #[arg(value_name = "FILE", required_unless_present = "command")]
    pub(crate) paths: Vec<PathBuf>,
    /// A launch command, such as: uv run rl @ rl.toml --ckpt.resume-step 20
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "paths")]
    pub(crate) command: Vec<String>,
}

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the command line")]
pub(crate) struct Migrate {
    /// The configs, or - for standard input; those that they name in `toml_files` are taken along
    #[arg(value_name = "FILE", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// The prime-rl that it is to be written for, which `--target` may say as well: a release (0.8.0), a commit, a date or main
    #[arg(long, value_name = "TARGET")]
    pub(crate) to: Option<String>,
    /// The prime-rl that it is written for; without it, what the file or its project states, or else what its keys fit
    #[arg(long, value_name = "TARGET")]
    pub(crate) from: Option<String>,
    /// Write the new text: to the file, or for standard input to standard output
    #[arg(long)]
    pub(crate) write: bool,
    /// Show what --write would change, and change nothing; exit with 1 if there is anything
    #[arg(long, conflicts_with = "write")]
    pub(crate) diff: bool,
    /// Make also the moves that may change what the config means, and take out what nothing replaces
    #[arg(long)]
    pub(crate) unsafe_fixes: bool,
    /// Write out the former default of each key whose default is another now, so that the config goes on meaning the same
    #[arg(long)]
    pub(crate) keep_defaults: bool,
    /// The path that standard input stands for
    #[arg(long, value_name = "PATH")]
    pub(crate) stdin_filename: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Launch {
    /// The config; of several, each is laid over those before it, unless they are the parts of a split run
    #[arg(value_name = "FILE", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Make the checks of `cfg preflight`, then run the command instead of printing it
    #[arg(long, conflicts_with_all = ["by_hand", "shared_gpu"])]
    pub(crate) exec: bool,
    /// Print one command for each process of an rl config, with the files that the launcher would write
    #[arg(long)]
    pub(crate) by_hand: bool,
    /// The same with everything on one GPU, which configs can't express from 0.5.0 on
    #[arg(long, value_name = "ID")]
    pub(crate) shared_gpu: Option<u32>,
}

#[derive(Args)]
pub(crate) struct Curriculum {
    /// The config
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Deny {
    Warnings,
}

#[derive(Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Args)]
pub(crate) struct Explain {
    /// A code or a name; nothing for a list of all
    pub(crate) code: Option<String>,
}

fn parse_kind(text: &str) -> Result<Kind, String> {
    text.parse()
}

/// Whether words that make no command line ask for JSON.
pub(crate) fn asks_for_json(words: impl Iterator<Item = OsString>) -> bool {
    let words: Vec<OsString> = words.take_while(|word| word != "--").collect();
    let is_json = |format: &str| matches!(format, "json" | "json-lines");
    let together = words.iter().filter_map(|word| word.to_str()?.strip_prefix("--format="));
    let apart = words.windows(2).filter(|pair| pair[0] == "--format").filter_map(|pair| pair[1].to_str());
    together.chain(apart).any(is_json)
}
