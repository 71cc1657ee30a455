//! The GPUs of the machine, and the GPUs that the config uses.

use cfg_plan::Plan;
use cfg_project::{LocalGpu, MachineError, add_processes, local_gpus, visible_gpus};
use cfg_system::Host;

/// The GPUs of the machine, or the reason why they can't be determined.
#[derive(Debug)]
pub(super) struct GpusHere(pub(super) Result<Vec<LocalGpu>, MachineError>);

/// A GPU that the config uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Use {
    /// Its number on the machine; `None` if fewer GPUs are visible than the config needs.
    pub(super) physical: Option<u32>,
    /// Its number in the config, counted from 0.
    pub(super) index: u32,
    pub(super) trains: bool,
    pub(super) serves: bool,
}

impl GpusHere {
    /// Queries `nvidia-smi`.
    pub(super) fn ask(host: &dyn Host) -> Self {
        Self(local_gpus(host).map(|mut gpus| {
            add_processes(host, &mut gpus);
            gpus
        }))
    }

    /// The GPUs; empty if they can't be determined.
    pub(super) fn all(&self) -> &[LocalGpu] {
        self.0.as_deref().unwrap_or_default()
    }

    /// The reason why the GPUs can't be determined; `None` if they are known.
    pub(super) fn why_unknown(&self) -> Option<String> {
        self.0.as_ref().err().map(ToString::to_string)
    }

    /// The GPU with this number on the machine.
    pub(super) fn get(&self, index: u32) -> Option<&LocalGpu> {
        self.all().iter().find(|gpu| gpu.index == index)
    }

    /// The numbers of the GPUs that a process sees, in its order: those in `CUDA_VISIBLE_DEVICES` (`variable`), or all.
    pub(super) fn visible(&self, variable: Option<&str>) -> Vec<u32> {
        visible_gpus(self.all(), variable).into_iter().map(|gpu| gpu.index).collect()
    }
}

/// The GPUs that a plan uses. A list of ids names GPUs of the machine; a number of GPUs is taken from the visible ones, first for the
/// inference server.
pub(super) fn uses(plan: &Plan, visible: &[u32]) -> Vec<Use> {
    let gpus = &plan.run.gpus;
    let mut uses: Vec<Use> = Vec::new();
    let mut add = |index: u32, physical: Option<u32>, trains: bool| match uses.iter_mut().find(|known| known.index == index) {
        Some(known) => (known.trains, known.serves) = (known.trains || trains, known.serves || !trains),
        None => uses.push(Use { physical, index, trains, serves: !trains }),
    };
    if let (Some(trainer), Some(inference)) = (gpus.trainer_ids.value(), gpus.inference_ids.value()) {
        let ids = |ids: &[i64]| ids.iter().filter_map(|id| u32::try_from(*id).ok()).collect::<Vec<_>>();
        for id in ids(inference).into_iter().filter(|_| plan.inference.is_some()) {
            add(id, Some(id), false);
        }
        for id in ids(trainer) {
            add(id, Some(id), true);
        }
        return uses;
    }
    let count = |count: Option<i64>| count.and_then(|count| u32::try_from(count).ok()).unwrap_or(0).min(1024);
    let of_server = plan.inference.as_ref().and_then(|own| own.tp.get()?.checked_mul(own.dp.get().unwrap_or(1)));
    let serving = count(plan.inference_gpus().filter(|gpus| *gpus > 0).or(of_server.filter(|_| plan.is_split())));
    let training = if plan.trainer.is_some() { count(plan.trainer_gpus()) } else { 0 };
    for index in 0..serving + training {
        let physical = usize::try_from(index).ok().and_then(|index| visible.get(index)).copied();
        add(index, physical, index >= serving);
    }
    uses
}
