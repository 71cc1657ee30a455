//! The GPUs of this machine, as `nvidia-smi` reports them. Only this file reads its output.

use std::time::Duration;

use cfg_memory::{
    Bytes,
    catalogue::Gpu,
    hardware::{self, Hardware},
};
use cfg_system::{Host, NoAnswer, Program};

use crate::machine::MachineError;

/// The time limit for an answer: a driver that was suspended may need seconds, and a broken one never answers.
const LIMIT: Duration = Duration::from_secs(20);

/// The answer has a line for each GPU and process.
const MAX_ANSWER: u64 = 1 << 20;

const NAME: &str = "nvidia-smi";

/// A GPU of this machine.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalGpu {
    /// Its index.
    pub index: u32,
    /// Its UUID, which `CUDA_VISIBLE_DEVICES` may contain instead of the index.
    pub uuid: String,
    /// Its name in the driver.
    pub name: String,
    /// Its memory without the part that the driver reserves; 0 if the driver reports none, as for cards that share the machine's memory.
    pub total: Bytes,
    /// The memory that is in use now.
    pub used: Bytes,
    /// The processes on it, as id and name, after they have been [added](add_processes). Processes of other containers are not included.
    pub processes: Vec<(u32, String)>,
}

/// The GPUs that `nvidia-smi` reports.
///
/// # Errors
/// If it does not exist, fails, answers in an unknown form, or reports none.
pub fn local_gpus(host: &dyn Host) -> Result<Vec<LocalGpu>, MachineError> {
    // Drivers before 2022 do not know the reserved memory, and refuse the whole query.
    let answer = match query(host, "gpu=index,uuid,name,memory.total,memory.used,memory.reserved") {
        Err(NoAnswer::Failed(_)) => query(host, "gpu=index,uuid,name,memory.total,memory.used"),
        other => other,
    };
    let answer = answer.map_err(|why| match why {
        NoAnswer::Absent => MachineError::Absent(NAME),
        NoAnswer::Failed(_) | NoAnswer::Late | NoAnswer::TooLong(_) => MachineError::NoAnswer(NAME),
    })?;
    let gpus = read_gpus(&answer).ok_or(MachineError::Strange(NAME))?;
    if gpus.is_empty() { Err(MachineError::NoGpu) } else { Ok(gpus) }
}

/// Adds the processes that use these GPUs; none if there is no answer.
pub fn add_processes(host: &dyn Host, gpus: &mut [LocalGpu]) {
    let answer = query(host, "compute-apps=gpu_uuid,pid,process_name").unwrap_or_default();
    for (uuid, id, name) in answer.lines().filter_map(process) {
        if let Some(gpu) = gpus.iter_mut().find(|gpu| gpu.uuid == uuid) {
            gpu.processes.push((id, name));
        }
    }
}

/// The version of the driver, with its first two numbers; `None` if unknown.
pub fn driver(host: &dyn Host) -> Option<(String, (u32, u32))> {
    let answer = query(host, "gpu=driver_version").ok()?;
    let version = answer.lines().next()?.trim();
    let is_version = version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let mut parts = version.split('.').map(str::parse);
    let (Some(Ok(major)), minor) = (parts.next(), parts.next()) else { return None };
    is_version.then(|| (version.to_owned(), (major, minor.and_then(Result::ok).unwrap_or(0))))
}

/// The GPUs that a process sees, in its order: all, or those in `variable`, the value of `CUDA_VISIBLE_DEVICES`, as indices or prefixes of UUIDs,
/// up to the first that matches no GPU.
pub fn visible_gpus<'g>(gpus: &'g [LocalGpu], variable: Option<&str>) -> Vec<&'g LocalGpu> {
    let Some(variable) = variable else { return gpus.iter().collect() };
    let named = variable.split(',').map(str::trim).map_while(|word| {
        let by_number = |gpu: &LocalGpu| word.parse() == Ok(gpu.index);
        gpus.iter().find(|gpu| by_number(gpu) || (word.starts_with("GPU-") && gpu.uuid.starts_with(word)))
    });
    named.collect()
}

fn query(host: &dyn Host, fields: &str) -> Result<String, NoAnswer> {
    let words = [format!("--query-{fields}"), "--format=csv,noheader,nounits".to_owned()];
    let program = Program::new(NAME).arguments(words).variable("LC_ALL", "C").limited(LIMIT, MAX_ANSWER);
    host.run(&program).map(|answer| String::from_utf8_lossy(&answer).into_owned())
}

/// The machine that consists of these GPUs, each with the data of the built-in table, or else of
/// the driver.
///
/// # Errors
/// If the GPUs are of several kinds.
pub fn local_hardware(gpus: &[LocalGpu], own: &[Gpu]) -> Result<Hardware, MachineError> {
    let first = gpus.first().ok_or(MachineError::NoGpu)?;
    if first.total <= Bytes::ZERO {
        return Err(MachineError::Strange(NAME));
    }
    if gpus.iter().any(|gpu| gpu.name != first.name) {
        let mut names: Vec<String> = gpus.iter().map(|gpu| gpu.name.clone()).collect();
        names.sort();
        names.dedup();
        return Err(MachineError::Mixed(names));
    }
    let count = u32::try_from(gpus.len()).unwrap_or(u32::MAX);
    // The memory distinguishes cards of one name (`A100`), and shows whether a name is only similar to that of another card.
    let is_near = |gpu: &Gpu| (gpu.total.as_gib() / first.total.as_gib() - 1.0).abs() < 0.05;
    let known = hardware::find(&first.name, own).ok().filter(is_near);
    let gpu = known.unwrap_or_else(|| Gpu::own(first.name.clone(), first.total, "nvidia-smi"));
    Ok(Hardware { count, gpu })
}

/// Parses lines such as `0, GPU-8f.., NVIDIA H100 80GB HBM3, 81559, 4, 551`, in MiB. A name may contain commas.
fn read_gpus(answer: &str) -> Option<Vec<LocalGpu>> {
    let line = |line: &str| {
        let mut cells = line.split(',').map(str::trim);
        let index = cells.next()?.parse().ok()?;
        let uuid = cells.next()?.to_owned();
        let rest: Vec<&str> = cells.collect();
        // With older drivers, the last number is the used memory. No name ends in two numbers.
        let numbers = rest.iter().rev().take_while(|cell| amount(cell).is_some() || cell.starts_with('[')).count().min(3);
        let (name, numbers) = rest.split_at(rest.len() - numbers);
        let [total, used, reserved @ ..] = numbers else { return None };
        let total = if total.starts_with('[') { Bytes::ZERO } else { amount(total).filter(|total| *total > Bytes::ZERO)? };
        let reserved = reserved.first().and_then(|reserved| amount(reserved)).unwrap_or(Bytes::ZERO);
        let used = amount(used).unwrap_or(Bytes::ZERO);
        let name = Some(name.join(", ")).filter(|name| !name.is_empty())?;
        Some(LocalGpu { index, uuid, name, total: (total - reserved).max(Bytes::ZERO), used, processes: Vec::new() })
    };
    answer.lines().filter(|text| !text.trim().is_empty()).map(line).collect()
}

/// A number of MiB; `None` for `[N/A]`.
fn amount(cell: &str) -> Option<Bytes> {
    cell.parse::<u32>().ok().map(|mib| Bytes::gib(f64::from(mib) / 1024.0))
}

/// Parses a line about a process: `GPU-8f.., 4711, python`.
fn process(line: &str) -> Option<(String, u32, String)> {
    let mut cells = line.splitn(3, ',').map(str::trim);
    Some((cells.next()?.to_owned(), cells.next()?.parse().ok()?, cells.next()?.to_owned()))
}

#[cfg(test)]
mod tests {
    use cfg_memory::Bytes;

    use super::{LocalGpu, MachineError, local_hardware, process, read_gpus, visible_gpus};

    const TWO: &str =
        "0, GPU-8f1a, NVIDIA H100 80GB HBM3, 81559, 4, 551\n1, GPU-77aa, NVIDIA H100 80GB HBM3, 81559, 50000, 551\n";

    fn shown(answer: &str, visible: Option<&str>) -> Vec<LocalGpu> {
        visible_gpus(&read_gpus(answer).expect("known"), visible).into_iter().cloned().collect()
    }

    #[test]
    fn answers_of_newer_and_older_drivers_are_read() {
        let gpus = shown(TWO, None);
        assert_eq!(
            (gpus[1].index, gpus[1].name.as_str(), gpus[1].used.to_string()),
            (1, "NVIDIA H100 80GB HBM3", "48.8 GiB".to_owned())
        );
        let hardware = local_hardware(&gpus, &[]).expect("of one kind");
        assert_eq!((hardware.count, &*hardware.gpu.name, hardware.gpu.total), (2, "H100", Bytes::gib(79.18)));
        let old = shown("0, GPU-1, Tesla T4, 15109, 0\n", None);
        assert_eq!(&*local_hardware(&old, &[]).expect("known").gpu.name, "T4");
        let silent = shown("0, GPU-1, NVIDIA GB10, 122000, [N/A], [N/A]\n", None);
        let odd = local_hardware(&silent, &[]).expect("of one kind").gpu;
        assert_eq!((&*odd.name, &*odd.source), ("NVIDIA GB10", "nvidia-smi"));
        for text in ["nonsense", "0, GPU-1, T4", "x, y, z, 1, 2, 3", "0, GPU-1, T4, -5, 0, 0"] {
            assert_eq!(read_gpus(text), None, "{text}");
        }
    }

    #[test]
    fn a_card_without_memory_of_its_own_is_one() {
        let gpus = shown("0, GPU-1, NVIDIA Thor, [N/A], [N/A], [N/A]\n", None);
        assert_eq!((gpus[0].name.as_str(), gpus[0].total, gpus[0].used), ("NVIDIA Thor", Bytes::ZERO, Bytes::ZERO));
        assert_eq!(local_hardware(&gpus, &[]), Err(MachineError::Strange("nvidia-smi")));
    }

    #[test]
    fn processes_have_names_with_commas() {
        assert_eq!(process("GPU-1, 4711, a, b"), Some(("GPU-1".to_owned(), 4711, "a, b".to_owned())));
        assert_eq!(process("No running processes found"), None);
    }

    #[test]
    fn only_visible_gpus_count() {
        let indices = |visible| shown(TWO, Some(visible)).iter().map(|gpu| gpu.index).collect::<Vec<_>>();
        assert_eq!(indices("1"), [1]);
        assert_eq!(indices("1,0"), [1, 0]);
        assert_eq!(indices("GPU-77"), [1]);
        assert_eq!(indices("0,-1,1"), [0]);
        assert_eq!(indices(""), [0; 0]);
    }

    #[test]
    fn sizes_of_one_gpu_name_are_distinguished_and_models_are_not_mixed() {
        let forty = shown("0, GPU-1, NVIDIA A100-PCIE-40GB, 40960, 0, 500\n", None);
        assert_eq!(&*local_hardware(&forty, &[]).expect("known").gpu.name, "A100-40");
        let mixed = shown("0, GPU-1, T4, 15109, 0\n1, GPU-2, L4, 23034, 0\n", None);
        assert_eq!(local_hardware(&mixed, &[]), Err(MachineError::Mixed(vec!["L4".to_owned(), "T4".to_owned()])));
        assert_eq!(local_hardware(&[], &[]), Err(MachineError::NoGpu));
    }
}
