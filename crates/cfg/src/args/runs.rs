//! The words of `cfg run`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Args)]
pub(crate) struct Resume {
    /// The folder that the run wrote to: its `output_dir`, since 2026-08 the folder of its name in that
    #[arg(value_name = "RUN_DIR")]
    pub(crate) run: PathBuf,
    /// The config with which it was started
    #[arg(value_name = "CONFIG")]
    pub(crate) started_with: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Report {
    /// A config, a version of one (rl.toml:v3), several in a row (rl.toml:v1..v3), or the folder that a run writes to
    #[arg(value_name = "SOURCE")]
    pub(crate) source: String,
    /// The config with which a run was started
    #[arg(value_name = "CONFIG")]
    pub(crate) started_with: Option<PathBuf>,
    /// The page; standard output where it is not given. A file that is no such page is not replaced
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The machine that the config is for ("2x H100"), whatever it states
    #[arg(long, alias = "hardware", value_name = "GPU")]
    pub(crate) gpu: Option<String>,
}

#[derive(Args)]
pub(crate) struct Watch {
    /// The folder that the run writes to
    #[arg(value_name = "RUN_DIR")]
    pub(crate) run: PathBuf,
    /// The config with which it was started
    #[arg(value_name = "CONFIG")]
    pub(crate) started_with: Option<PathBuf>,
    /// Look once
    #[arg(long)]
    pub(crate) once: bool,
    /// Seconds between two looks
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) interval: u64,
    /// Run this command of the shell at the first look, and whenever the state is another one, which it finds in `CFG_STATE`
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
    /// Register a run that begins
    ///
    /// A file has to be a registered version as it is: then it is certain what ran.
    Add(RunAdd),
    /// Say how a run ended
    ///
    /// Its steps and its reward are read from its folder, where they are not stated and the registry knows that folder.
    #[command(visible_alias = "close")]
    Finish(RunFinish),
    /// Show the runs, all of them or those of a config
    List(RunList),
    /// Lay two runs side by side: what differs in their configs, and their measures at equal steps
    ///
    /// A run is the name that `cfg run list` shows, or the folder that it wrote to. Measures are those of its `metrics.jsonl` and its logs.
    ///
    /// Ends with 0, and with 2 where it could not do its work.
    Compare(RunCompare),
}

#[derive(Args)]
pub(crate) struct RunAdd {
    /// The config as it is launched, or a version of it (rl.toml:v3)
    #[arg(value_name = "FILE")]
    pub(crate) launched: String,
    /// What the run is called; the day and a number where it is not given
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// Where Weights & Biases shows it
    #[arg(long, value_name = "URL")]
    pub(crate) wandb: Option<String>,
    /// The machine, where it is not the one of the registry
    #[arg(long, value_name = "GPU")]
    pub(crate) hardware: Option<String>,
    /// The rented machine that it runs on
    #[arg(long, value_name = "ID")]
    pub(crate) pod: Option<String>,
    /// The folder that it writes to
    #[arg(long, value_name = "RUN_DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// What the model reached before
    #[arg(long)]
    pub(crate) baseline: Option<String>,
    /// The day on which it began, where that is not today
    #[arg(long, value_name = "DAY")]
    pub(crate) started: Option<String>,
    /// What there is to say of it
    #[arg(long)]
    pub(crate) notes: Option<String>,
}

#[derive(Args)]
pub(crate) struct RunFinish {
    /// The run
    pub(crate) id: String,
    /// How it ended
    #[arg(long, value_enum, default_value_t = RunStatus::Completed)]
    pub(crate) status: RunStatus,
    /// The reward that it reached
    #[arg(long)]
    pub(crate) reward: Option<String>,
    /// The training steps that it made
    #[arg(long)]
    pub(crate) steps: Option<u64>,
    /// Where Weights & Biases shows it
    #[arg(long, value_name = "URL")]
    pub(crate) wandb: Option<String>,
    /// The day on which it ended, where that is not today
    #[arg(long, value_name = "DAY")]
    pub(crate) ended: Option<String>,
    /// What was learned; it is added to what is noted already
    #[arg(long)]
    pub(crate) notes: Option<String>,
    /// The registry, or a path below it
    #[arg(long, value_name = "PATH", default_value = ".")]
    pub(crate) registry: PathBuf,
}

#[derive(Args)]
pub(crate) struct RunCompare {
    /// A run, or its folder; `ID=RUN_DIR` where the folder of a run is another one here
    #[arg(value_name = "RUN")]
    pub(crate) one: String,
    /// The other
    #[arg(value_name = "OTHER")]
    pub(crate) other: String,
    /// The registry, or a path below it
    #[arg(long, value_name = "PATH", default_value = ".")]
    pub(crate) registry: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunStatus {
    /// It came to its end
    Completed,
    /// It broke
    Failed,
    /// Somebody stopped it
    Abandoned,
}

#[derive(Args)]
pub(crate) struct RunList {
    /// A config, or the registry or a path below it for all runs
    #[arg(value_name = "PATH", default_value = ".")]
    pub(crate) path: PathBuf,
    /// Only runs that most likely ended without anybody saying so: the pod runs a later one, or they go on for more than a week
    #[arg(long)]
    pub(crate) stale: bool,
    /// As a table of Markdown
    #[arg(long)]
    pub(crate) markdown: bool,
}
