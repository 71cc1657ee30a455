//! The request for a new config.

use std::{fmt, str::FromStr};

use cfg_memory::hardware::Hardware;
use cfg_schema::Kind;

/// The request for a new config.
#[derive(Clone, Debug)]
pub struct Wish<'a> {
    /// The entrypoint.
    pub kind: Kind,
    /// The model, by its name on the hub.
    pub model: &'a str,
    /// The machine.
    pub hardware: Hardware,
    /// The id of the environment, or for supervised fine-tuning the name of the data.
    pub source: Option<&'a str>,
    /// Whether the environment, or the data, shows images to the model.
    pub images: bool,
    /// The main goal.
    pub goal: Goal,
    /// How it is trained; `None` for any method that fits.
    pub method: Option<Method>,
    /// Tokens of the longest sequence; `None` for any length that fits.
    pub seq_len: Option<u64>,
}

impl Wish<'_> {
    /// Whether a model is trained.
    pub fn trains(&self) -> bool {
        matches!(self.kind, Kind::Rl | Kind::Trainer | Kind::Sft)
    }

    /// Whether an inference server of this config serves the model.
    pub fn serves(&self) -> bool {
        matches!(self.kind, Kind::Rl | Kind::Inference)
    }

    /// Whether rollouts are made.
    pub fn rolls_out(&self) -> bool {
        matches!(self.kind, Kind::Rl | Kind::Orchestrator)
    }
}

/// The main goal of a new config.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// Room for several turns, at a usual cost.
    #[default]
    Balanced,
    /// The first result soon: short sequences, small batches, no recomputation if that fits.
    Fast,
    /// The longest sequence that fits.
    LongContext,
    /// Few tokens for each step and small checkpoints: adapters, short sequences, small batches.
    Cheap,
}

impl Goal {
    /// All goals, with their names.
    pub const ALL: [(Self, &'static str); 4] =
        [(Self::Balanced, "balanced"), (Self::Fast, "fast"), (Self::LongContext, "long-context"), (Self::Cheap, "cheap")];
}

impl FromStr for Goal {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        find(&Self::ALL, text)
    }
}

/// How a model is trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// All of its weights.
    Full,
    /// Adapters on top of frozen weights.
    Lora,
}

impl Method {
    /// Both methods, with their names.
    pub const ALL: [(Self, &'static str); 2] = [(Self::Full, "full"), (Self::Lora, "lora")];
}

impl FromStr for Method {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        find(&Self::ALL, text)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if *self == Self::Full { "full fine-tuning" } else { "LoRA" })
    }
}

fn find<T: Copy>(all: &[(T, &str)], text: &str) -> Result<T, String> {
    let names = || all.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(", ");
    all.iter().find(|(_, name)| *name == text).map(|(value, _)| *value).ok_or_else(|| format!("write one of: {}", names()))
}
