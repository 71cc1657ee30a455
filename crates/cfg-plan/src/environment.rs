//! The environments that produce the rollouts.

use cfg_compose::Origin;
use cfg_diag::Location;
use cfg_resolve::Resolved;

use crate::{
    Entries, FreeTable, Key,
    fact::{Owner, join},
    facts::facts,
};

/// The purpose of an environment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Role {
    /// Its rollouts are trained on.
    #[default]
    Train,
    /// Its rollouts are used to evaluate the model.
    Eval,
}

/// One environment.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Its purpose.
    pub role: Role,
    /// The key of its table: `orchestrator.env[0]`.
    pub key: String,
    /// Where its table is written; `None` for the default environment.
    pub location: Option<Location>,
    /// The settings that prime-rl defines.
    pub settings: Box<EnvironmentSettings>,
    /// The free keys that its own code receives; prime-rl does not check them. In the order of the file.
    pub args: Vec<Arg>,
}

/// A free argument of an environment.
#[derive(Clone, Debug)]
pub struct Arg {
    /// Its name.
    pub name: Box<str>,
    /// Its value; every value inside a table or an array has its own origin.
    pub value: Resolved,
    /// The key of the table that contains it: `orchestrator.env[0].args`.
    pub(crate) table: Owner,
}

impl Arg {
    /// Its key: `orchestrator.env[0].args.split`.
    pub fn key(&self) -> String {
        join(&self.table.text(), &self.name)
    }

    /// Where its value is written.
    pub const fn location(&self) -> Option<Location> {
        self.value.origin.location()
    }

    /// The origin of its value.
    pub const fn origin(&self) -> Origin {
        self.value.origin
    }
}

/// The last part of an environment's id, without version: `name` of `owner/name@0.1.0`.
pub fn last_part(id: &str) -> &str {
    let last = id.rsplit('/').next().unwrap_or(id);
    last.split('@').next().unwrap_or(last)
}

impl Environment {
    /// The argument of this name.
    pub fn arg(&self, name: &str) -> Option<&Arg> {
        self.args.iter().find(|arg| *arg.name == *name)
    }

    /// The integer value of an argument.
    pub fn arg_int(&self, name: &str) -> Option<i64> {
        self.arg(name)?.value.value.as_int()
    }

    /// The boolean value of an argument.
    pub fn arg_bool(&self, name: &str) -> Option<bool> {
        self.arg(name)?.value.value.as_bool()
    }

    /// The id without version: `org/name` of `org/name@0.1.0`.
    pub fn base_id(&self) -> Option<&str> {
        let id = self.settings.id.text()?;
        Some(id.split_once('@').map_or(id, |(base, _)| base))
    }

    /// The version that the id pins: `0.1.0` of `org/name@0.1.0`.
    pub fn pinned_version(&self) -> Option<&str> {
        self.settings.id.text()?.split_once('@').map(|(_, version)| version)
    }

    /// The key of the table of its arguments; `None` if the target has no such table.
    pub fn args_key(&self) -> Option<&Key> {
        self.settings.args.key()
    }
}

/// Makes the settings of an environment accessible as its own fields.
impl std::ops::Deref for Environment {
    type Target = EnvironmentSettings;

    fn deref(&self) -> &EnvironmentSettings {
        &self.settings
    }
}

facts! {
    /// The settings of an environment that prime-rl defines.
    EnvironmentSettings {
        /// The id of the environment: `name`, `org/name` or `org/name@version`; in later versions that of its taskset.
        id: Box<str> = "legacy.id" | "env.taskset.id" | "taskset.id" | "env.id" | "id";
        /// Its name in logs; null means its id.
        name: Box<str> = "name";
        /// The table of free arguments, which are the environment's `args`; later versions have a taskset instead.
        args: FreeTable = "legacy.args" | "args";
        /// Its share of the problems, relative to the other environments; null means in proportion to the number of its problems.
        ratio: f64 = "ratio";
        /// Rollouts of one problem; overrides the orchestrator's number.
        group_size: i64 = "group_size" | "rollouts_per_example";
        /// The number of problems; -1 means all.
        num_examples: i64 = "num_examples", shared "eval.num_examples";
        /// Steps between two evaluations on it.
        interval: i64 = "interval", shared "eval.interval";
        /// Tokens of one answer.
        max_tokens: i64 = "sampling.max_completion_tokens",
            shared "train.sampling.max_completion_tokens" | "eval.sampling.max_completion_tokens";
        /// The sampling temperature.
        temperature: f64 = "sampling.temperature", shared "train.sampling.temperature" | "eval.sampling.temperature";
        /// The threshold of nucleus sampling.
        top_p: f64 = "sampling.top_p", shared "eval.sampling.top_p";
        /// Further fields of each request.
        extra_body: Entries = "sampling.extra_body", shared "train.sampling.extra_body" | "eval.sampling.extra_body";
        /// How problems are chosen, since 2026-08: `standard`, `difficulty_pool`.
        sampler: Box<str> = "curriculum.sampler";
        /// The maximum number of turns of a rollout.
        max_turns: i64 = "env.agent.max_turns" | "max_turns";
        /// The maximum number of tokens that a rollout may read, over all turns.
        max_input_tokens: i64 = "env.agent.max_input_tokens" | "max_input_tokens";
        /// The maximum number of tokens that a rollout may write, over all turns.
        max_output_tokens: i64 = "env.agent.max_output_tokens" | "max_output_tokens" | "max_total_completion_tokens";
        /// The maximum number of tokens of a rollout, over all turns.
        max_total_tokens: i64 = "env.agent.max_total_tokens" | "max_total_tokens";
        /// Where the programs of a rollout run: `subprocess`, `docker`, `prime`, `modal`.
        runtime: Box<str> = "env.agent.runtime.type" | "env.agent.harness.runtime.type" | "harness.runtime.type";
        /// The number of processes that run it, or `auto`.
        num_workers: crate::IntOrWord = "num_workers";
        /// The maximum number of rollouts that run at a time.
        max_concurrent: i64 = "serve.max_concurrent" | "env.max_concurrent";
        /// The address of a server that runs it already.
        address: Box<str> = "serve.address" | "address";
        /// The model from which its rollouts distil, if it has a teacher of its own.
        teacher_name: Box<str> = "algo.teacher.name";
        /// The addresses of that teacher's server.
        teacher_url: Vec<Box<str>> = "algo.teacher.base_url";
    }
}
