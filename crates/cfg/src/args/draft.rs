//! The arguments of the commands that write new files.

use std::path::PathBuf;

use cfg_draft::{Goal, Method};
use clap::{
    Args, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};

#[derive(Args, Clone)]
pub(crate) struct New {
    /// The model, by its name on the hub: `Qwen/Qwen3-8B`
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// A registered version to start from: `rl.toml:v3`
    #[arg(long, value_name = "CONFIG", conflicts_with_all = ["goal", "method", "seq_len", "data"])]
    pub(crate) like: Option<String>,
    /// The machine: "2x H100"; by default the settings'
    #[arg(long, alias = "hardware", value_name = "GPU")]
    pub(crate) gpu: Option<String>,
    /// The environment: `reverse-text`, `org/name`
    #[arg(long, value_name = "ID")]
    pub(crate) env: Option<String>,
    /// The dataset for SFT, by its name on the hub
    #[arg(long, value_name = "NAME", conflicts_with = "env")]
    pub(crate) data: Option<String>,
    /// The environment, or the data, shows images to the model
    #[arg(long, conflicts_with = "like")]
    pub(crate) images: bool,
    /// What matters most
    #[arg(long, value_name = "GOAL", default_value = "balanced", value_parser = one_of(&Goal::ALL))]
    pub(crate) goal: Goal,
    /// How to train; by default full fine-tuning if it fits
    #[arg(long, value_name = "METHOD", value_parser = one_of(&Method::ALL))]
    pub(crate) method: Option<Method>,
    /// The sequence length; by default what fits the goal
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    pub(crate) seq_len: Option<u64>,
    /// The model's config.json, for an unknown model
    #[arg(long, value_name = "FILE")]
    pub(crate) model_config: Option<PathBuf>,
    /// Write the config to this new file
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Sweep {
    /// The config to vary
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,
    /// A setting and its values: `trainer.optim.lr=1e-6,3e-6`, `seq_len=4096..32768`, `inference.gpu_memory_utilization=0.7..0.9:0.1`
    #[arg(value_name = "KEY=VALUES", required = true)]
    pub(crate) varied: Vec<String>,
    /// Write the configs to this folder; existing files are never changed
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// The machine ("2x H100"), overriding the config, or `local` to ask nvidia-smi
    #[arg(long, alias = "hardware", value_name = "GPU")]
    pub(crate) gpu: Option<String>,
}

#[derive(Args)]
pub(crate) struct Init {
    /// The machine the configs are for ("2x H100"); by default what nvidia-smi lists
    #[arg(long, alias = "hardware", value_name = "GPU")]
    pub(crate) gpu: Option<String>,
    /// Also write a CI file at the root of the repository; the job runs once a variable says what to install
    #[arg(long, value_enum, value_name = "SERVICE")]
    pub(crate) ci: Option<Ci>,
    /// Accept the current findings in cfg-baseline.json, so that only new ones fail
    #[arg(long)]
    pub(crate) baseline: bool,
    /// Do not install a git hook
    #[arg(long)]
    pub(crate) no_hook: bool,
    /// Do not ask for confirmation
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// The service that runs checks on a push.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ci {
    /// A GitHub workflow
    Github,
    /// A GitLab job
    Gitlab,
}

/// Parses a value by its name; the names are listed in the help.
fn one_of<T>(all: &'static [(T, &'static str)]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static + std::str::FromStr<Err = String>,
{
    PossibleValuesParser::new(all.iter().map(|(_, name)| *name)).try_map(|name| name.parse::<T>())
}
