//! The GPUs of the machine, and those that the config uses.

use cfg_plan::Plan;

use super::Machine;

/// A GPU as `nvidia-smi` tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gpu {
    /// Its number.
    pub(crate) index: u32,
    /// Its identity.
    pub(crate) uuid: String,
    /// Its name.
    pub(crate) name: String,
    /// Its memory in MiB.
    pub(crate) total_mib: u64,
    /// What is in use of it, in MiB.
    pub(crate) used_mib: u64,
    /// The processes on it: number and name. Those of other containers are not among them.
    pub(crate) processes: Vec<(u32, String)>,
}

/// What can be told of a machine's GPUs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GpusHere {
    /// They are these.
    These(Vec<Gpu>),
    /// `nvidia-smi` is not there.
    NoProgram,
    /// It fails: why.
    Failed(String),
}

/// A GPU that the config uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Use {
    /// Its number on the machine; nothing where fewer are visible than the config uses.
    pub(crate) physical: Option<u32>,
    /// Its number as the config counts.
    pub(crate) index: u32,
    pub(crate) trains: bool,
    pub(crate) serves: bool,
}

impl GpusHere {
    /// Asks `nvidia-smi`.
    pub(crate) fn ask(machine: &dyn Machine) -> Self {
        if machine.program("nvidia-smi").is_none() {
            return Self::NoProgram;
        }
        let query = ["--query-gpu=index,uuid,name,memory.total,memory.used", "--format=csv,noheader,nounits"];
        let mut gpus = match machine.output("nvidia-smi", &query) {
            Ok(text) => text.lines().filter_map(gpu).collect::<Vec<_>>(),
            Err(why) => return Self::Failed(why),
        };
        if gpus.is_empty() {
            return Self::Failed("nvidia-smi lists no GPU".to_owned());
        }
        let query = ["--query-compute-apps=gpu_uuid,pid,process_name", "--format=csv,noheader,nounits"];
        for (uuid, id, name) in machine.output("nvidia-smi", &query).unwrap_or_default().lines().filter_map(application) {
            if let Some(gpu) = gpus.iter_mut().find(|gpu| gpu.uuid == uuid) {
                gpu.processes.push((id, name));
            }
        }
        Self::These(gpus)
    }

    /// The GPUs; none where they can't be told.
    pub(crate) fn all(&self) -> &[Gpu] {
        match self {
            Self::These(gpus) => gpus,
            _ => &[],
        }
    }

    /// Why nothing is known of them.
    pub(crate) fn why_unknown(&self) -> Option<String> {
        match self {
            Self::These(_) => None,
            Self::NoProgram => Some("there is no nvidia-smi in the PATH".to_owned()),
            Self::Failed(why) => Some(why.clone()),
        }
    }

    /// The GPU of a number.
    pub(crate) fn get(&self, index: u32) -> Option<&Gpu> {
        self.all().iter().find(|gpu| gpu.index == index)
    }

    /// The numbers that a process sees, in its order: all, or those that `CUDA_VISIBLE_DEVICES` names.
    pub(crate) fn visible(&self, variable: Option<&str>) -> Vec<u32> {
        let Some(variable) = variable else { return self.all().iter().map(|gpu| gpu.index).collect() };
        let of = |word: &str| {
            let by_uuid = || self.all().iter().find(|gpu| word.len() > 4 && gpu.uuid.starts_with(word)).map(|gpu| gpu.index);
            word.parse().ok().filter(|index| self.get(*index).is_some()).or_else(by_uuid)
        };
        // CUDA stops at the first that it does not find.
        variable.split(',').map(|word| of(word.trim())).map_while(|found| found).collect()
    }
}

/// The GPUs that a plan uses. Lists of ids name GPUs of the machine; counts are taken from the visible ones, those of the inference server first.
pub(crate) fn uses(plan: &Plan, visible: &[u32]) -> Vec<Use> {
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

fn gpu(line: &str) -> Option<Gpu> {
    let columns: Vec<&str> = line.split(',').map(str::trim).collect();
    let [index, uuid, name, total, used] = columns.as_slice() else { return None };
    // A card that reports no memory, as some of shared memory do, has none to be judged.
    let number = |text: &str| text.split_whitespace().next().and_then(|text| text.parse().ok());
    Some(Gpu {
        index: index.parse().ok()?,
        uuid: (*uuid).to_owned(),
        name: (*name).to_owned(),
        total_mib: number(total).unwrap_or(0),
        used_mib: number(used).unwrap_or(0),
        processes: Vec::new(),
    })
}

fn application(line: &str) -> Option<(String, u32, String)> {
    let mut columns = line.splitn(3, ',').map(str::trim);
    Some((columns.next()?.to_owned(), columns.next()?.parse().ok()?, columns.next()?.to_owned()))
}
