//! The plan of a run.

use cfg_resolve::{ResolvedTable, View};
use cfg_schema::{Kind, Point, Schema};

use crate::{Environment, Inference, Orchestrator, Run, Trainer, lower};

/// What a config means, in terms that are the same at every version.
///
/// It is made of one config of any kind, or of several split files together. A component is nothing where the config has none.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The kinds of the configs that it was made of.
    pub kinds: Vec<Kind>,
    /// The point of the history that they were resolved at.
    pub point: Point,
    /// Whether prime-rl would take every one of the configs. Where it would not, values that one component gets from another may be missing.
    pub is_valid: bool,
    /// What concerns the run as a whole.
    pub run: Run,
    /// The process group that trains.
    pub trainer: Option<Trainer>,
    /// The orchestrator.
    pub orchestrator: Option<Orchestrator>,
    /// The inference server.
    pub inference: Option<Inference>,
    /// The teacher's inference server.
    pub teacher_inference: Option<Inference>,
}

impl Plan {
    /// The plan of one resolved config.
    pub fn new(schema: Schema, resolved: &ResolvedTable) -> Self {
        lower::lower(&View::new(schema, resolved))
    }

    /// The plan of several split files that are started together.
    pub fn of_group(parts: &[(Schema, &ResolvedTable)]) -> Option<Self> {
        parts.iter().map(|(schema, resolved)| Self::new(*schema, resolved)).reduce(Self::merge)
    }

    /// Lays another config of the same run beside this one. Where both have a component, this one's stays.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        self.kinds.extend(other.kinds);
        self.is_valid &= other.is_valid;
        self.trainer = self.trainer.or(other.trainer);
        self.orchestrator = self.orchestrator.or(other.orchestrator);
        self.inference = self.inference.or(other.inference);
        self.teacher_inference = self.teacher_inference.or(other.teacher_inference);
        self
    }

    /// Whether it is made of split files rather than of one `rl` or `sft` config.
    pub fn is_split(&self) -> bool {
        !self.kinds.iter().any(|kind| matches!(kind, Kind::Rl | Kind::Sft))
    }

    /// Whether it is supervised fine-tuning.
    pub fn is_sft(&self) -> bool {
        self.kinds.contains(&Kind::Sft)
    }

    /// All environments, those of training first.
    pub fn environments(&self) -> impl Iterator<Item = &Environment> {
        self.orchestrator.iter().flat_map(|orchestrator| orchestrator.train.iter().chain(&orchestrator.eval))
    }
}
