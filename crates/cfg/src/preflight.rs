//! The machine against the config: one file for each check, all of which only look.

mod checkpoint;
mod config;
mod disk;
mod earlier_run;
mod environments;
mod gpu_in_use;
mod gpu_memory;
mod gpus;
mod hub_token;
mod machine;
mod missing_gpus;
mod open_files;
mod paths;
mod port;
mod prime_rl;
mod processes;
mod programs;
mod project;
mod registered;
mod step_desync;
mod variables;
mod version;
mod wandb;
mod weights_index;

use cfg_diag::Diagnostic;
use cfg_memory::run::Assessment;
use cfg_plan::Plan;
use cfg_project::{DetectedTarget, Preflight};
use cfg_schema::Target;

pub(crate) use gpus::{GpusHere, Use, uses};
pub(crate) use machine::Machine;
pub(crate) use registered::Registered;
pub(crate) use step_desync::counts_by_orchestrator;

/// What the checks look at.
pub(crate) struct Situation<'a> {
    /// The config as typed facts.
    pub(crate) plan: &'a Plan,
    /// The prime-rl that is meant.
    pub(crate) target: &'a Target,
    /// The prime-rl that is installed here, where one is found.
    pub(crate) installed: Option<&'a DetectedTarget>,
    /// The machine.
    pub(crate) machine: Machine<'a>,
    /// Its GPUs.
    pub(crate) gpus: &'a GpusHere,
    /// Which of them the config uses, where that can be determined.
    pub(crate) uses: &'a [Use],
    /// What the memory model says for the GPUs that are here, or why it can't.
    pub(crate) memory: &'a Result<Assessment, String>,
    /// The flags by which `cfg launch` has the run save checkpoints, where the config saves none and it should; `memory` counts them.
    pub(crate) turned_on: Option<&'a str>,
    /// What `cfg check` finds in the config.
    pub(crate) findings: &'a [Diagnostic],
    /// What a registry says of its files; empty if there is none.
    pub(crate) registered: &'a [Registered],
    /// What the project's settings ask of the machine.
    pub(crate) asked: &'a Preflight,
    /// The version of the environment that the config states.
    pub(crate) env_version: Option<&'a str>,
}

/// What a check says.
pub(crate) enum Answer {
    /// All is well: what was seen.
    Fine(String),
    /// The config does not need it: why.
    NotNeeded(&'static str),
    /// It can't be determined here: why.
    Unknown(String),
    /// What is wrong, each with a repair.
    Found(Vec<Diagnostic>),
}

impl Answer {
    fn found(diagnostic: Diagnostic) -> Self {
        Self::Found(vec![diagnostic])
    }

    /// What is wrong, or a word on what is well.
    fn of(found: Vec<Diagnostic>, fine: impl FnOnce() -> String) -> Self {
        if found.is_empty() { Self::Fine(fine()) } else { Self::Found(found) }
    }
}

/// A check.
pub(crate) struct Check {
    /// Its stable name.
    pub(crate) name: &'static str,
    /// What it asks.
    pub(crate) run: fn(&Situation<'_>) -> Answer,
}

/// All checks, in the order in which they are shown.
pub(crate) const CHECKS: [Check; 21] = [
    Check { name: "config", run: config::check },
    Check { name: "registered", run: registered::check },
    Check { name: "prime-rl", run: prime_rl::check },
    Check { name: "gpus", run: missing_gpus::check },
    Check { name: "gpus-free", run: gpu_in_use::check },
    Check { name: "gpu-memory", run: gpu_memory::check },
    Check { name: "processes", run: processes::check },
    Check { name: "port", run: port::check },
    Check { name: "programs", run: programs::check },
    Check { name: "environments", run: environments::check },
    Check { name: "wandb", run: wandb::check },
    Check { name: "hub-token", run: hub_token::check },
    Check { name: "variables", run: variables::check },
    Check { name: "open-files", run: open_files::check },
    Check { name: "paths", run: paths::check },
    Check { name: "weights-index", run: weights_index::check },
    Check { name: "disk", run: disk::check },
    Check { name: "earlier-run", run: earlier_run::check },
    Check { name: "checkpoint", run: checkpoint::check },
    Check { name: "step-desync", run: step_desync::check },
    Check { name: "project", run: project::check },
];
