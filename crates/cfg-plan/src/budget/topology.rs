//! What is on which GPU.

use crate::Plan;
use cfg_memory::hardware::Hardware;

/// The maximum number of GPUs that are listed; any others are assumed to be like the last one.
const MAX_GPUS: u32 = 1024;

/// The GPU ids of each component.
pub(crate) struct Gpus {
    /// The trainer's GPUs.
    pub(crate) trainer: Vec<u32>,
    /// The number of the trainer's GPUs, on all nodes.
    pub(crate) trainer_world: u32,
    /// The inference server's GPUs.
    pub(crate) inference: Vec<u32>,
}

/// The GPUs of a plan. If the config does not list their ids, the inference server has the first and the trainer the next, as prime-rl's
/// launcher assigns them.
pub(super) fn gpus(plan: &Plan, hardware: Option<&Hardware>, assumed: &mut Vec<String>) -> Gpus {
    let run = &plan.run.gpus;
    if let (Some(trainer), Some(inference)) = (run.trainer_ids.value(), run.inference_ids.value()) {
        let trainer = ids(trainer, plan.trainer.is_some());
        let inference = ids(inference, plan.inference.is_some());
        return Gpus { trainer_world: count(trainer.len()), trainer, inference };
    }
    let machine = hardware.map(|hardware| hardware.count);
    let serving = match &plan.inference {
        None => 0,
        Some(inference) => {
            let of_replicas = || inference.tp.get()?.checked_mul(inference.dp.get().unwrap_or(1));
            positive(plan.inference_gpus().filter(|gpus| *gpus > 0).or_else(of_replicas)).unwrap_or(1)
        }
    };
    if plan.trainer.is_none() {
        return Gpus { trainer: Vec::new(), trainer_world: 0, inference: range(0, serving) };
    }
    if let Some(training) = positive(plan.trainer_gpus()) {
        return Gpus { trainer: range(serving, training), trainer_world: training, inference: range(0, serving) };
    }
    // Configs of single components don't state the number of the trainer's GPUs.
    let (first, training) = match machine {
        Some(machine) if machine > serving => (serving, machine - serving),
        Some(machine) => (0, machine),
        None => (serving, 1),
    };
    assumed.push(format!("the trainer has {}, which its config does not state", gpus_in_words(training)));
    if first == 0 && serving > 0 {
        assumed.push("trainer and inference server share the machine's GPUs".to_owned());
    }
    Gpus { trainer: range(first, training), trainer_world: training, inference: range(0, serving) }
}

/// `count` numbers starting at `first`.
fn range(first: u32, count: u32) -> Vec<u32> {
    (first..first.saturating_add(count.min(MAX_GPUS))).collect()
}

/// The GPU ids that a config lists.
fn ids(stated: &[i64], exists: bool) -> Vec<u32> {
    stated.iter().filter(|_| exists).filter_map(|id| u32::try_from(*id).ok()).take(MAX_GPUS as usize).collect()
}

fn positive(count: Option<i64>) -> Option<u32> {
    count.and_then(|count| u32::try_from(count).ok()).filter(|count| *count > 0)
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// A number of GPUs in words: `1 GPU`, `4 GPUs`.
pub fn gpus_in_words(count: impl Into<i64>) -> String {
    match count.into() {
        1 => "1 GPU".to_owned(),
        count => format!("{count} GPUs"),
    }
}
