//! The plan of a run.

use cfg_resolve::{ResolvedTable, View};
use cfg_schema::{Kind, Point, Schema};

use crate::{Environment, Eval, Inference, Orchestrator, Role, Row, Run, Trainer, facts::Part, lower, rows};

/// The meaning of a config, in terms that are the same at every version.
///
/// It is made from one config of any kind, or from the files of a split run. A component is `None` if the config does
/// not have it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The kinds of the configs from which it was made.
    pub kinds: Vec<Kind>,
    /// The point of the history at which they were resolved.
    pub point: Point,
    /// Whether prime-rl accepts all the configs. If it does not, values that one component gets from another may be missing.
    pub is_valid: bool,
    /// The settings of the whole run.
    pub run: Box<Run>,
    /// The processes that train.
    pub trainer: Option<Box<Trainer>>,
    /// The orchestrator.
    pub orchestrator: Option<Box<Orchestrator>>,
    /// The environments: those for training first, then those for evaluation, in the order of the file.
    pub environments: Vec<Environment>,
    /// The inference server.
    pub inference: Option<Box<Inference>>,
    /// The teacher's inference server.
    pub teacher_inference: Option<Box<Inference>>,
}

impl Plan {
    /// The plan of one resolved config.
    pub fn new(schema: Schema, resolved: &ResolvedTable) -> Self {
        lower::lower(&View::new(schema, resolved))
    }

    /// The plan of several files of a split run; `None` if there are none.
    pub fn of_group(parts: &[(Schema, &ResolvedTable)]) -> Option<Self> {
        parts.iter().map(|(schema, resolved)| Self::new(*schema, resolved)).reduce(Self::merge)
    }

    /// Adds another config of the same run. If both have a component, that of `self` is kept.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        self.kinds.extend(other.kinds);
        self.is_valid &= other.is_valid;
        self.trainer = self.trainer.or(other.trainer);
        if self.orchestrator.is_none() {
            self.orchestrator = other.orchestrator;
            self.environments.extend(other.environments);
        }
        self.inference = self.inference.or(other.inference);
        self.teacher_inference = self.teacher_inference.or(other.teacher_inference);
        self
    }

    /// Whether it is made from files of a split run, and not from one `rl` or `sft` config.
    pub fn is_split(&self) -> bool {
        !self.kinds.iter().any(|kind| matches!(kind, Kind::Rl | Kind::Sft))
    }

    /// Whether it is supervised fine-tuning.
    pub fn is_sft(&self) -> bool {
        self.kinds.contains(&Kind::Sft)
    }

    /// The environments for training.
    pub fn train_environments(&self) -> impl Iterator<Item = &Environment> {
        self.environments.iter().filter(|environment| environment.role == Role::Train)
    }

    /// Whether the launcher starts all processes on one node.
    pub fn is_on_one_node(&self) -> bool {
        self.run.gpus.deployment.text().is_none_or(|deployment| deployment == "single_node")
    }

    /// The environments for evaluation.
    pub fn eval_environments(&self) -> impl Iterator<Item = &Environment> {
        self.environments.iter().filter(|environment| environment.role == Role::Eval)
    }

    /// The settings of evaluation, from the component that has them.
    pub fn eval(&self) -> Option<&Eval> {
        let of_orchestrator = self.orchestrator.as_ref().and_then(|orchestrator| orchestrator.eval.value());
        of_orchestrator.or_else(|| self.trainer.as_ref()?.eval.value())
    }

    /// The number of the trainer's GPUs, if the config states it.
    pub fn trainer_gpus(&self) -> Option<i64> {
        let gpus = &self.run.gpus;
        gpus.count(&gpus.trainer_ids, &gpus.num_train, &gpus.num_train_nodes)
    }

    /// The number of the inference servers' GPUs, if the config states it; 0 if there is no server.
    pub fn inference_gpus(&self) -> Option<i64> {
        let gpus = &self.run.gpus;
        if self.inference.is_none() && !self.is_split() {
            return Some(0);
        }
        let replicas = gpus.num_infer_replicas.get().unwrap_or(1);
        gpus.count(&gpus.inference_ids, &gpus.num_infer, &gpus.num_infer_nodes)?.checked_mul(replicas)
    }

    /// The ids of the GPUs that both the trainer and the inference server use.
    pub fn shared_gpus(&self) -> Vec<i64> {
        let (Some(_), Some(_)) = (&self.trainer, &self.inference) else { return Vec::new() };
        let (Some(trainer), Some(inference)) = (self.run.gpus.trainer_ids.value(), self.run.gpus.inference_ids.value()) else {
            return Vec::new();
        };
        trainer.iter().copied().filter(|id| inference.contains(id)).collect()
    }

    /// All its settings as rows, for people and for tests.
    pub fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        self.run.rows("run", &mut rows);
        rows::of_part(self.trainer.as_deref(), "trainer", &mut rows);
        rows::of_part(self.orchestrator.as_deref(), "orchestrator", &mut rows);
        rows::of_part(self.inference.as_deref(), "inference", &mut rows);
        rows::of_part(self.teacher_inference.as_deref(), "teacher_inference", &mut rows);
        for (index, environment) in self.environments.iter().enumerate() {
            environment.settings.rows(&format!("environments[{index}]"), &mut rows);
        }
        rows
    }
}
