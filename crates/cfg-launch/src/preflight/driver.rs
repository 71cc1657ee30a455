//! Checks that the driver is new enough for the CUDA that prime-rl's PyTorch is built with.

use cfg_diag::{Diagnostic, codes};

use super::{Answer, Situation};

/// All versions of prime-rl install PyTorch and vLLM for CUDA 12.
const CUDA: &str = "12";

/// The oldest driver on which every CUDA 12 runs (CUDA's release notes, "minor version compatibility").
const OLDEST: (u32, u32) = (525, 60);

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    if situation.run.plan.run.slurm.fact().is_some() {
        return Answer::NotNeeded("SLURM starts the run on other machines");
    }
    if situation.uses.is_empty() {
        return Answer::NotNeeded("the config does not say which GPUs it uses");
    }
    if let Some(why) = situation.gpus.why_unknown() {
        return Answer::Unknown(why);
    }
    let Some((version, parts)) = cfg_project::driver(situation.machine.host()) else {
        return Answer::Unknown("the version of the driver is unknown".to_owned());
    };
    if parts >= OLDEST {
        return Answer::Fine(version);
    }
    // CUDA's own libraries for older drivers.
    if situation.machine.variable("LD_LIBRARY_PATH").is_some_and(|folders| folders.contains("compat")) {
        return Answer::Unknown(format!("{version} is old, but LD_LIBRARY_PATH has CUDA's compatibility libraries"));
    }
    let (major, minor) = OLDEST;
    let message = format!("the driver {version} is too old: prime-rl uses CUDA {CUDA}, which needs {major}.{minor} or newer");
    Answer::found(Diagnostic::new(&codes::OLD_DRIVER, message).help("install a newer driver, or use another machine or image"))
}
