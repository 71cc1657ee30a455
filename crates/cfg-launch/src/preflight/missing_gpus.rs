//! Checks that the machine has the GPUs that the config uses.

use cfg_diag::{Diagnostic, codes, in_a_row};
use cfg_project::MachineError;
use cfg_report::count;

use super::{Answer, Run, Situation};

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let Situation { run: Run { plan, .. }, gpus, uses, machine, .. } = situation;
    if plan.run.slurm.fact().is_some() {
        return Answer::NotNeeded("SLURM starts the run on other machines");
    }
    if uses.is_empty() {
        return Answer::NotNeeded("the config does not say which GPUs it uses");
    }
    let needed = numbers(uses.iter().map(|used| used.index));
    let used = count(uses.len(), "GPU");
    let at = plan.run.gpus.trainer_ids.location().or(plan.run.gpus.num_train.location());
    let place = |diagnostic: Diagnostic| if let Some(at) = at { diagnostic.at(at) } else { diagnostic };
    match &gpus.0 {
        Ok(_) => {}
        Err(MachineError::Absent(_)) => {
            let message = format!("the config uses {used}, but nvidia-smi is not installed, so there is likely no NVIDIA GPU");
            let help = "run this on the machine that trains; in a container, start it with its GPUs (`--gpus all`)";
            return Answer::found(place(Diagnostic::new(&codes::MISSING_GPUS, message)).help(help));
        }
        Err(why) => {
            let message = format!("the config uses {used}, but nvidia-smi fails: {why}");
            let help = "install a driver that matches the kernel, or restart the machine; run `nvidia-smi` for details";
            return Answer::found(place(Diagnostic::new(&codes::MISSING_GPUS, message)).help(help));
        }
    }
    let missing: Vec<u32> = uses
        .iter()
        .filter(|used| used.physical.is_none_or(|physical| gpus.get(physical).is_none()))
        .map(|used| used.index)
        .collect();
    if missing.is_empty() {
        let names: Vec<&str> = gpus.all().iter().map(|gpu| gpu.name.as_str()).collect();
        let kinds =
            names.first().map_or("GPU", |first| if names.iter().all(|name| name == first) { first } else { "several kinds" });
        return Answer::Fine(format!("{} of {} used, {kinds}", uses.len(), gpus.all().len()));
    }
    let visible = machine.variable("CUDA_VISIBLE_DEVICES");
    let here = match &visible {
        Some(variable) if plan.run.gpus.trainer_ids.value().is_none() => {
            format!("CUDA_VISIBLE_DEVICES={variable} shows {}", count(gpus.visible(Some(variable)).len(), "GPU"))
        }
        _ => format!("the machine has {}", count(gpus.all().len(), "GPU")),
    };
    let message = format!("the config uses GPU {needed}, but {here}");
    let help = "use a machine that has them, or change the config: `trainer_gpu_ids` and `inference_gpu_ids` until 0.4.0, \
        `[deployment]` later";
    Answer::found(place(Diagnostic::new(&codes::MISSING_GPUS, message)).help(help))
}

/// Formats a list of numbers: `0, 1 and 2`.
fn numbers(numbers: impl Iterator<Item = u32>) -> String {
    in_a_row(&numbers.map(|number| number.to_string()).collect::<Vec<_>>())
}
