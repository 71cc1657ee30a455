//! The kinds of configs.

use std::{fmt, str::FromStr};

/// What a config is for: an entrypoint of prime-rl, or hosted training, which starts one of two entrypoints elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// `rl`: trainer, orchestrator and inference together.
    Rl,
    /// `trainer`: a split file.
    Trainer,
    /// `orchestrator`: a split file.
    Orchestrator,
    /// `inference`: a split file, or a standalone server.
    Inference,
    /// `sft`: supervised fine-tuning.
    Sft,
    /// `eval`: a standalone evaluation. It was part of prime-rl until 0.4.0, and is part of the installed verifiers since then.
    Eval,
    /// `evals`: the evaluations during a run.
    Evals,
    /// `synthesize`: generates data from the rollouts of a model.
    Synthesize,
    /// `env-server`: serves an environment.
    EnvServer,
    /// `prime train`: an `rl` config with additional keys, for a run on hosted GPUs.
    HostedRl,
    /// `prime train`: an `sft` config with the same additional keys.
    HostedSft,
    /// A program of a project that is none of these, with a config class of its own.
    Script,
}

impl Kind {
    /// The entrypoints, in the order of the table's roots. Those after [`RUNS`](Self::RUNS) do not exist at all points.
    pub const ALL: [Self; 9] = [
        Self::Rl,
        Self::Trainer,
        Self::Orchestrator,
        Self::Inference,
        Self::Sft,
        Self::Eval,
        Self::Evals,
        Self::Synthesize,
        Self::EnvServer,
    ];

    /// The entrypoints of training runs and of their parts.
    pub const RUNS: [Self; 5] = [Self::Rl, Self::Trainer, Self::Orchestrator, Self::Inference, Self::Sft];

    /// The names that a user may give. For hosted training there is one name: the keys of the config show which entrypoint is
    /// started.
    pub const NAMES: [&'static str; 10] =
        ["rl", "trainer", "orchestrator", "inference", "sft", "hosted", "eval", "evals", "synthesize", "env-server"];

    /// The entrypoint of prime-rl that reads a config of this kind. The class of a script is at the place of one that has no rules, in a history that
    /// has nothing else.
    #[must_use]
    pub const fn entrypoint(self) -> Self {
        match self {
            Self::HostedRl => Self::Rl,
            Self::HostedSft => Self::Sft,
            Self::Script => Self::EnvServer,
            own => own,
        }
    }

    /// Whether `prime train` reads it.
    pub const fn is_hosted(self) -> bool {
        matches!(self, Self::HostedRl | Self::HostedSft)
    }

    /// Whether it is a training run or a part of one.
    pub const fn is_run(self) -> bool {
        !matches!(self, Self::Eval | Self::Evals | Self::Synthesize | Self::EnvServer | Self::Script)
    }

    /// The name that users see.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rl => "rl",
            Self::Trainer => "trainer",
            Self::Orchestrator => "orchestrator",
            Self::Inference => "inference",
            Self::Sft => "sft",
            Self::Eval => "eval",
            Self::Evals => "evals",
            Self::Synthesize => "synthesize",
            Self::EnvServer => "env-server",
            Self::HostedRl | Self::HostedSft => "hosted",
            Self::Script => "script",
        }
    }

    /// The kind with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().chain([Self::HostedRl]).find(|kind| kind.name() == name)
    }

    /// Its name with "a" or "an"; "this" for a script, whose name the kind does not have.
    pub const fn with_article(self) -> &'static str {
        match self {
            Self::Rl => "an rl",
            Self::Trainer => "a trainer",
            Self::Orchestrator => "an orchestrator",
            Self::Inference => "an inference",
            Self::Sft => "an sft",
            Self::Eval => "an eval",
            Self::Evals => "an evals",
            Self::Synthesize => "a synthesize",
            Self::EnvServer => "an env-server",
            Self::HostedRl | Self::HostedSft => "a hosted",
            Self::Script => "this",
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
        Self::named(name).ok_or_else(|| {
            let [others @ .., last] = Self::NAMES;
            format!("unknown kind `{name}`; expected {} or {last}", others.join(", "))
        })
    }
}
