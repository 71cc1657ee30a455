//! The words of the commands that write something new.

use std::path::PathBuf;

use cfg_draft::{Goal, Method};
use clap::{
    Args, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};

#[derive(Args)]
pub(crate) struct New {
    /// The model, by its name on the Hugging Face hub: `Qwen/Qwen3-8B`
    #[arg(long, value_name = "NAME", required_unless_present = "like")]
    pub(crate) model: Option<String>,
    /// A version in the registry (`rl.toml:v3`) that becomes the new config: with this model, machine and environment, and as it is otherwise
    #[arg(long, value_name = "CONFIG", conflicts_with_all = ["goal", "method", "seq_len", "data"])]
    pub(crate) like: Option<String>,
    /// The machine ("2x H100"), or `local` to ask nvidia-smi; without it, the `gpu` of the project's settings
    #[arg(long, alias = "hardware", value_name = "GPU")]
    pub(crate) gpu: Option<String>,
    /// The environment that is trained on: `reverse-text`, `org/name`
    #[arg(long, value_name = "ID")]
    pub(crate) env: Option<String>,
    /// The data that supervised fine-tuning trains on, by its name on the hub
    #[arg(long, value_name = "NAME", conflicts_with = "env")]
    pub(crate) data: Option<String>,
    /// What matters most
    #[arg(long, value_name = "GOAL", default_value = "balanced", value_parser = one_of(&Goal::ALL))]
    pub(crate) goal: Goal,
    /// How the model is trained; without it, all of it where that fits, else adapters
    #[arg(long, value_name = "METHOD", value_parser = one_of(&Method::ALL))]
    pub(crate) method: Option<Method>,
    /// Tokens of the longest sequence; without it, as many as the goal asks for and fit
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    pub(crate) seq_len: Option<u64>,
    /// The model's config.json, for a model that is not known by its name
    #[arg(long, value_name = "FILE")]
    pub(crate) model_config: Option<PathBuf>,
    /// Write the config to this file, which must not exist yet, instead of printing it
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Sweep {
    /// The config that is varied
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,
    /// A setting and its values: `trainer.optim.lr=1e-6,3e-6`, `seq_len=4096..32768`, `inference.gpu_memory_utilization=0.7..0.9:0.1`
    #[arg(value_name = "KEY=VALUES", required = true)]
    pub(crate) settings: Vec<String>,
    /// Write the configs into this folder; no file that is there is touched
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// The machine ("2x H100"), whatever the config states, or `local` to ask nvidia-smi
    #[arg(long, alias = "hardware", value_name = "GPU")]
    pub(crate) gpu: Option<String>,
}

#[derive(Args)]
pub(crate) struct Init {
    /// The machine that the configs are for ("2x H100"); without it, what nvidia-smi lists
    #[arg(long, alias = "hardware", value_name = "GPU")]
    pub(crate) gpu: Option<String>,
    /// Write a file for CI as well; it installs the package `cfg-prime-rl`
    #[arg(long, value_enum, value_name = "SERVICE")]
    pub(crate) ci: Option<Ci>,
    /// Leave the hooks of git alone
    #[arg(long)]
    pub(crate) no_hook: bool,
    /// Write without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// Who runs checks on a push.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ci {
    /// A workflow of GitHub
    Github,
    /// A job of GitLab
    Gitlab,
}

/// Reads a value by its name, and lists the names in the help.
fn one_of<T>(all: &'static [(T, &'static str)]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static + std::str::FromStr<Err = String>,
{
    PossibleValuesParser::new(all.iter().map(|(_, name)| *name)).try_map(|name| name.parse::<T>())
}
