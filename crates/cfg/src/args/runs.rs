//! The arguments of `cfg run`, with all that is done about a run.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Args)]
pub(crate) struct Diagnose {
    /// Logs, folders of logs, or - for standard input; by default the folder outputs, unless a log is piped in
    #[arg(value_name = "LOG")]
    pub(crate) paths: Vec<PathBuf>,
    /// The config of the run, to show its related lines
    #[arg(long, value_name = "FILE")]
    pub(crate) against: Option<PathBuf>,
    /// List known symptoms instead
    #[arg(long, conflicts_with_all = ["paths", "against"])]
    pub(crate) list: bool,
}

#[derive(Args)]
pub(crate) struct Preflight {
    /// The config; later files override earlier ones
    #[arg(value_name = "FILE", required_unless_present = "command")]
    pub(crate) paths: Vec<PathBuf>,
    /// A launch command, such as: uv run rl @ rl.toml --ckpt.resume-step 20
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "paths")]
    pub(crate) command: Vec<String>,
}

#[derive(Args)]
pub(crate) struct Launch {
    /// The config; later files override earlier ones, unless they are the parts of a split run
    #[arg(value_name = "FILE", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Run the checks of `cfg run preflight`, then run the command instead of printing it
    #[arg(long, conflicts_with_all = ["by_hand", "shared_gpu"])]
    pub(crate) exec: bool,
    /// Print one command for each process of an rl config, with the files that the launcher would write
    #[arg(long)]
    pub(crate) by_hand: bool,
    /// Like --by-hand, with everything on one GPU, which configs can't express since 0.5.0
    #[arg(long, value_name = "ID")]
    pub(crate) shared_gpu: Option<u32>,
}

#[derive(Args)]
pub(crate) struct Resume {
    /// The output folder of the run: its `output_dir`, since 2026-08 the run's folder in it
    #[arg(value_name = "RUN_DIR")]
    pub(crate) run: PathBuf,
    /// The config with which it was started
    #[arg(value_name = "CONFIG")]
    pub(crate) started_with: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Report {
    /// A config, a version (rl.toml:v3), a range of versions (rl.toml:v1..v3), or the output folder of a run
    #[arg(value_name = "SOURCE")]
    pub(crate) source: String,
    /// The config with which a run was started
    #[arg(value_name = "CONFIG")]
    pub(crate) started_with: Option<PathBuf>,
    /// The file to write; by default standard output. Only an earlier report is overwritten
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The machine ("2x H100"), whatever the config states
    #[arg(long, alias = "hardware", value_name = "GPU")]
    pub(crate) gpu: Option<String>,
}

#[derive(Args)]
pub(crate) struct Watch {
    /// The output folder of the run
    #[arg(value_name = "RUN_DIR")]
    pub(crate) run: PathBuf,
    /// The config with which it was started
    #[arg(value_name = "CONFIG")]
    pub(crate) started_with: Option<PathBuf>,
    /// Print the state once and exit
    #[arg(long)]
    pub(crate) once: bool,
    /// Seconds between updates
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) interval: u64,
    /// Run this shell command at the start and whenever the state changes, with the state in `CFG_STATE`
    #[arg(long, value_name = "COMMAND")]
    pub(crate) exec: Option<std::ffi::OsString>,
}

#[derive(Args)]
pub(crate) struct Runs {
    #[command(subcommand)]
    pub(crate) command: RunCommand,
}

#[derive(Subcommand)]
pub(crate) enum RunCommand {
    /// Check the machine before a run: GPUs, programs, keys, limits, disk, leftovers of earlier runs
    ///
    /// Changes nothing. Each finding says what to do about it; see `cfg explain CODE` for details. Run it on the training machine, in the same
    /// shell and folder as the run.
    ///
    /// Exit status: 0 if the machine is ready, 1 if something would make the run fail, 2 on failure.
    Preflight(Preflight),
    /// Print the command that starts a run, with comments
    ///
    /// The output is a shell script: the entrypoint, checkpoint flags if the config saves none, a log that no later run overwrites. Several files
    /// of different components form a split run, each with its own command. With `--exec` the checks of `cfg run preflight` run first, and if they pass
    /// the command is started.
    ///
    /// Exit status: 0 if successful, 1 if the config, the machine or the run has errors, 2 on failure.
    Launch(Launch),
    /// Show the state of a run: step and pace, metrics, problems, disk
    ///
    /// Follows the logs of a run and its `metrics.jsonl` (prime-rl's file monitor), and updates every half minute until the run is over, or once
    /// with `--once`. A metric is reported if it is out of bounds for ten steps; set the bounds under `[watch]` in the settings. Problems show the
    /// related lines of the config. Reads only, and uses no network.
    ///
    /// Exit status: 0 if there are no problems, 1 if there are, 2 on failure.
    Watch(Watch),
    /// Show from which step a run can resume, with which command, and what is lost
    ///
    /// Inspects the output folder of a run: complete checkpoints of the trainer and the orchestrator, the newest step that both have, the Weights &
    /// Biases run id, the disk needed until the end. The config is the given one, else what the launcher left in the folder. Nothing is
    /// changed or deleted.
    ///
    /// Exit status: 0 if the run can resume, 1 if it can't or would fail, 2 on failure.
    Resume(Resume),
    /// Find out why a run failed or hangs, from its logs
    ///
    /// Reads logs of any size and format, looks for known symptoms, and explains what happened, what to do, and which finding of `cfg check` or
    /// `cfg run preflight` would have warned about it. With `--against` it shows the related lines of the config.
    ///
    /// To detect that a run hangs, several logs are needed: pass the whole folder, such as outputs/logs.
    ///
    /// Exit status: 0 if nothing was found, 1 if symptoms were found, 2 on failure.
    Diagnose(Diagnose),
    /// Write a self-contained HTML page about a config, its versions or a run
    ///
    /// Findings, the memory of each GPU, what happens at which step, the token budget of a rollout, every value with its origin, what changed since the
    /// parent version and why; for a run also its metrics with the thresholds of `cfg run watch`. The page loads nothing: it can be sent, opened offline
    /// and printed.
    ///
    /// Exit status: 0 if successful, 2 on failure.
    Report(Report),
    /// Record the start of a run
    ///
    /// The file must be a registered version, so that it is certain what ran.
    Add(RunAdd),
    /// List all runs, or those of a config
    List(RunList),
    /// Compare two runs: what their configs mean, and their metrics at equal steps
    ///
    /// A run is an id from `cfg run list`, or an output folder. Metrics are read from its `metrics.jsonl` and its logs.
    ///
    /// Exit status: 0 if successful, 2 on failure.
    Compare(RunCompare),
    /// Record how a run ended
    ///
    /// Steps and reward are read from the output folder of the run, if they are not given and the registry knows the folder.
    Close(RunClose),
}

#[derive(Args)]
pub(crate) struct RunAdd {
    /// The config to launch, or a version of it (rl.toml:v3)
    #[arg(value_name = "FILE")]
    pub(crate) launched: String,
    /// The name of the run; by default the date and a number
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// The Weights & Biases URL
    #[arg(long, value_name = "URL")]
    pub(crate) wandb: Option<String>,
    /// The machine, if it differs from the registry
    #[arg(long, value_name = "GPU")]
    pub(crate) hardware: Option<String>,
    /// The rented machine it runs on
    #[arg(long, value_name = "ID")]
    pub(crate) pod: Option<String>,
    /// The output folder of the run
    #[arg(long, value_name = "RUN_DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// The model's score before training
    #[arg(long)]
    pub(crate) baseline: Option<String>,
    /// The start date; by default today
    #[arg(long, value_name = "DAY")]
    pub(crate) started: Option<String>,
    /// Notes on the run
    #[arg(long)]
    pub(crate) notes: Option<String>,
}

#[derive(Args)]
pub(crate) struct RunClose {
    /// The run
    pub(crate) id: String,
    /// How it ended
    #[arg(long, value_enum, default_value_t = RunStatus::Completed)]
    pub(crate) status: RunStatus,
    /// The final reward
    #[arg(long)]
    pub(crate) reward: Option<String>,
    /// The number of training steps
    #[arg(long)]
    pub(crate) steps: Option<u64>,
    /// The Weights & Biases URL
    #[arg(long, value_name = "URL")]
    pub(crate) wandb: Option<String>,
    /// The end date; by default today
    #[arg(long, value_name = "DAY")]
    pub(crate) ended: Option<String>,
    /// What was learned; appended to the notes
    #[arg(long)]
    pub(crate) notes: Option<String>,
    /// The registry, or a path below it
    #[arg(long, value_name = "PATH", default_value = ".")]
    pub(crate) registry: PathBuf,
}

#[derive(Args)]
pub(crate) struct RunCompare {
    /// A run, or its output folder; `ID=RUN_DIR` if the folder was moved
    #[arg(value_name = "RUN")]
    pub(crate) one: String,
    /// The other run
    #[arg(value_name = "OTHER")]
    pub(crate) other: String,
    /// The registry, or a path below it
    #[arg(long, value_name = "PATH", default_value = ".")]
    pub(crate) registry: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunStatus {
    /// It finished
    Completed,
    /// It failed
    Failed,
    /// It was stopped
    Abandoned,
}

#[derive(Args)]
pub(crate) struct RunList {
    /// A config, or the registry or a path below it for all runs
    #[arg(value_name = "PATH", default_value = ".")]
    pub(crate) path: PathBuf,
    /// Only runs that probably ended unrecorded: their pod runs a later one, or they have been running for more than a week
    #[arg(long)]
    pub(crate) stale: bool,
    /// Print a Markdown table
    #[arg(long)]
    pub(crate) markdown: bool,
}
