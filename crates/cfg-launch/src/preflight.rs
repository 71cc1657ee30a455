//! Checks whether the machine is ready for a config, with one file per check. Checks only read.

mod checkpoint;
mod config;
mod disk;
mod driver;
mod earlier_run;
mod environments;
mod gpu_in_use;
mod gpu_memory;
mod gpus;
mod host_memory;
mod hub_cache;
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
mod python;
mod registered;
mod sandboxes;
mod shared_folder;
mod shared_memory;
mod step_desync;
mod variables;
mod version;
mod wandb;
mod weights_index;

use cfg_check::{
    Project,
    memory::{MemoryOptions, memory},
};
use cfg_diag::Diagnostic;
use cfg_memory::{hardware::Hardware, run::Assessment};
use cfg_plan::{Metadata, Plan};
use cfg_project::{DetectedTarget, Preflight, local_hardware};
use cfg_report::{Sources, preflight::PreflightReport};
use cfg_schema::Target;
use cfg_system::System;

use gpus::{GpusHere, Use, uses};
use machine::Machine;
pub use registered::Registered;

/// A run that is about to be started.
pub struct Run<'a> {
    /// The name of its config in messages.
    pub name: &'a str,
    /// The plan of the config.
    pub plan: &'a Plan,
    /// The prime-rl that the config is checked for.
    pub target: &'a Target,
    /// The prime-rl that is installed on this machine; `None` if none is found.
    pub installed: Option<&'a DetectedTarget>,
    /// The flags with which `cfg run launch` makes the run save checkpoints, and the plan with these flags; `None` if the config saves some already,
    /// or the run does not need any.
    pub with_checkpoints: Option<(&'a str, &'a Plan)>,
    /// The findings of `cfg check` in the config.
    pub findings: &'a [Diagnostic],
    /// The texts that the findings refer to.
    pub sources: &'a Sources<'a>,
    /// For each file of the config, the registered version that it is; empty without a registry.
    pub registered: &'a [Registered],
    /// The project around its first file.
    pub project: &'a Project,
    /// What the project's settings require of the machine.
    pub required: &'a Preflight,
    /// The version of the environment that the metadata of the config states.
    pub env_version: Option<&'a str>,
}

/// The input of a check.
struct Situation<'a> {
    run: &'a Run<'a>,
    machine: Machine<'a>,
    /// The GPUs of the machine.
    gpus: &'a GpusHere,
    /// The GPUs that the config uses, as far as they can be determined.
    uses: &'a [Use],
    /// The assessment of the memory model for these GPUs, including the checkpoints that `cfg run launch` adds, or the reason why there is none.
    memory: &'a Result<Assessment, String>,
}

/// The result of a check.
enum Answer {
    /// No problem; the text says what was found.
    Fine(String),
    /// The config does not need the check; the text says why.
    NotNeeded(&'static str),
    /// The result can't be determined; the text says why.
    Unknown(String),
    /// Problems, each with the action that solves it.
    Found(Vec<Diagnostic>),
}

impl Answer {
    fn found(diagnostic: Diagnostic) -> Self {
        Self::Found(vec![diagnostic])
    }

    /// The findings; if there are none, [`Fine`](Self::Fine) with the text of `fine`.
    fn of(found: Vec<Diagnostic>, fine: impl FnOnce() -> String) -> Self {
        if found.is_empty() { Self::Fine(fine()) } else { Self::Found(found) }
    }
}

/// A check of the machine.
struct Check {
    /// Its stable name.
    name: &'static str,
    /// The function that runs it.
    run: fn(&Situation<'_>) -> Answer,
}

/// All checks, in the order of the output.
const CHECKS: [Check; 28] = [
    Check { name: "config", run: config::check },
    Check { name: "registered", run: registered::check },
    Check { name: "prime-rl", run: prime_rl::check },
    Check { name: "gpus", run: missing_gpus::check },
    Check { name: "driver", run: driver::check },
    Check { name: "gpus-free", run: gpu_in_use::check },
    Check { name: "gpu-memory", run: gpu_memory::check },
    Check { name: "host-memory", run: host_memory::check },
    Check { name: "shared-memory", run: shared_memory::check },
    Check { name: "processes", run: processes::check },
    Check { name: "port", run: port::check },
    Check { name: "programs", run: programs::check },
    Check { name: "python", run: python::check },
    Check { name: "environments", run: environments::check },
    Check { name: "wandb", run: wandb::check },
    Check { name: "hub-token", run: hub_token::check },
    Check { name: "hub-cache", run: hub_cache::check },
    Check { name: "sandboxes", run: sandboxes::check },
    Check { name: "variables", run: variables::check },
    Check { name: "open-files", run: open_files::check },
    Check { name: "paths", run: paths::check },
    Check { name: "weights-index", run: weights_index::check },
    Check { name: "shared-folder", run: shared_folder::check },
    Check { name: "disk", run: disk::check },
    Check { name: "earlier-run", run: earlier_run::check },
    Check { name: "checkpoint", run: checkpoint::check },
    Check { name: "step-desync", run: step_desync::check },
    Check { name: "project", run: project::check },
];

/// Runs all checks on this machine.
pub fn report(system: &dyn System, run: &Run<'_>) -> PreflightReport {
    let machine = Machine(system);
    let gpus = GpusHere::ask(system.host());
    let visible = gpus.visible(machine.variable("CUDA_VISIBLE_DEVICES").as_deref());
    let uses = uses(run.plan, &visible);
    let plan = run.with_checkpoints.map_or(run.plan, |(_, plan)| plan);
    let memory = assess(plan, run.target, &gpus, run.project);
    let situation = Situation { run, machine, gpus: &gpus, uses: &uses, memory: &memory };
    let mut report = PreflightReport::new(run.name, &run.target.name);
    for check in &CHECKS {
        match (check.run)(&situation) {
            Answer::Fine(detail) => report.add(check.name, "fine", &detail),
            Answer::NotNeeded(why) => report.add(check.name, "not-needed", why),
            Answer::Unknown(why) => report.add(check.name, "unknown", &why),
            Answer::Found(found) => report.add_found(check.name, &found, run.sources),
        }
    }
    report
}

/// The assessment of a run on these GPUs by the memory model, as in `cfg memory --gpu local`, or the reason why there is none. If the cards
/// differ, the smallest one is used.
fn assess(plan: &Plan, target: &Target, gpus: &GpusHere, project: &Project) -> Result<Assessment, String> {
    let smallest = gpus.all().iter().min_by(|one, other| one.total.as_f64().total_cmp(&other.total.as_f64()));
    let hardware = smallest.and_then(|gpu| {
        let hardware = local_hardware(std::slice::from_ref(gpu), &project.gpus).ok()?;
        Some(Hardware { count: u32::try_from(gpus.all().len()).unwrap_or(u32::MAX), ..hardware })
    });
    let options = MemoryOptions { hardware: hardware.as_ref(), shape: None };
    memory(plan, target, &Metadata::default(), project, options)
        .map(|memory| memory.assessment)
        .map_err(|missing| missing.to_string())
}
