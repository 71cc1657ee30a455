//! The kinds of configs.

use std::{fmt, str::FromStr};

/// The entrypoint that a config is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// `rl`: trainer, orchestrator and inference together.
    Rl,
    /// `trainer`: a split file.
    Trainer,
    /// `orchestrator`: a split file.
    Orchestrator,
    /// `inference`: a split file, or a server on its own.
    Inference,
    /// `sft`: supervised fine-tuning.
    Sft,
}

impl Kind {
    /// All kinds, in the order of the table's roots.
    pub const ALL: [Self; 5] = [Self::Rl, Self::Trainer, Self::Orchestrator, Self::Inference, Self::Sft];

    /// The name of the entrypoint.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rl => "rl",
            Self::Trainer => "trainer",
            Self::Orchestrator => "orchestrator",
            Self::Inference => "inference",
            Self::Sft => "sft",
        }
    }

    /// Its name behind "a" or "an".
    pub const fn with_article(self) -> &'static str {
        match self {
            Self::Rl => "an rl",
            Self::Trainer => "a trainer",
            Self::Orchestrator => "an orchestrator",
            Self::Inference => "an inference",
            Self::Sft => "an sft",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|kind| kind.name() == name);
        known.ok_or_else(|| format!("`{name}` is no kind; the kinds are rl, trainer, orchestrator, inference and sft"))
    }
}
