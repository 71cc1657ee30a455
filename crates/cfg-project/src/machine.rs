//! What the machine says of itself, for those who ask: its GPUs, and how much disk is free.

use std::{fmt, path::Path, time::Duration};

use cfg_memory::{
    Bytes,
    catalogue::Gpu,
    hardware::{self, Hardware},
};

use crate::program::{NoAnswer, ask};

/// A driver that has slept may take seconds to answer.
const LIMIT: Duration = Duration::from_secs(20);

/// A GPU of this machine.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalGpu {
    /// Its number.
    pub index: u32,
    /// Its name, as the driver has it.
    pub name: String,
    /// Its memory, without what the driver keeps for itself.
    pub total: Bytes,
    /// What is in use now.
    pub used: Bytes,
}

/// Why the machine's GPUs, or its free disk, are not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MachineError {
    /// There is no such program here.
    Absent(&'static str),
    /// It failed, or did not answer in time.
    NoAnswer(&'static str),
    /// Its answer is not of the known form.
    Strange(&'static str),
    /// There is no GPU, or none is visible.
    NoGpu,
    /// The GPUs are not of one kind.
    Mixed(Vec<String>),
}

impl fmt::Display for MachineError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent(program) => write!(formatter, "there is no `{program}` here to ask"),
            Self::NoAnswer(program) => write!(formatter, "`{program}` gave no answer"),
            Self::Strange(program) => write!(formatter, "the answer of `{program}` has not the known form"),
            Self::NoGpu => formatter.write_str("no GPU of this machine is visible"),
            Self::Mixed(names) => {
                write!(formatter, "this machine has GPUs of several kinds ({}): name the one that is meant", names.join(", "))
            }
        }
    }
}

impl std::error::Error for MachineError {}

/// The GPUs that `nvidia-smi` tells of, without those that `CUDA_VISIBLE_DEVICES` hides.
///
/// # Errors
/// If it isn't there, fails, or answers otherwise than known.
pub fn local_gpus() -> Result<Vec<LocalGpu>, MachineError> {
    const NAME: &str = "nvidia-smi";
    let query = |fields: &str| ask(NAME, &[&format!("--query-gpu={fields}"), "--format=csv,noheader,nounits"], LIMIT);
    // Drivers before 2022 don't tell what they reserve, and refuse the whole question.
    let answer = match query("index,uuid,name,memory.total,memory.used,memory.reserved") {
        Err(NoAnswer::Failed) => query("index,uuid,name,memory.total,memory.used"),
        other => other,
    };
    let answer = answer.map_err(|why| match why {
        NoAnswer::Absent => MachineError::Absent(NAME),
        NoAnswer::Failed | NoAnswer::Late => MachineError::NoAnswer(NAME),
    })?;
    let gpus = read_gpus(&answer).ok_or(MachineError::Strange(NAME))?;
    let visible = std::env::var("CUDA_VISIBLE_DEVICES").ok();
    let gpus = visible_gpus(gpus, visible.as_deref());
    if gpus.is_empty() { Err(MachineError::NoGpu) } else { Ok(gpus) }
}

/// The machine that these GPUs make, each by what the table knows of it, or else by what the driver says.
///
/// # Errors
/// If they are of several kinds.
pub fn local_hardware(gpus: &[LocalGpu], own: &[Gpu]) -> Result<Hardware, MachineError> {
    let first = gpus.first().ok_or(MachineError::NoGpu)?;
    if gpus.iter().any(|gpu| gpu.name != first.name) {
        let mut names: Vec<String> = gpus.iter().map(|gpu| gpu.name.clone()).collect();
        names.sort();
        names.dedup();
        return Err(MachineError::Mixed(names));
    }
    let count = u32::try_from(gpus.len()).unwrap_or(u32::MAX);
    // A name of several sizes (`A100`) is told apart by the memory, and so is one that only looks like another card's.
    let is_near = |gpu: &Gpu| (gpu.total.as_gib() / first.total.as_gib() - 1.0).abs() < 0.05;
    let known = hardware::find(&first.name, own).ok().filter(is_near);
    let gpu = known.unwrap_or_else(|| Gpu::own(first.name.clone(), first.total, "nvidia-smi"));
    Ok(Hardware { count, gpu })
}

/// The lines of the answer: `0, GPU-8f.., NVIDIA H100 80GB HBM3, 81559, 4, 551`, in MiB. A name may hold commas.
fn read_gpus(answer: &str) -> Option<Vec<(String, LocalGpu)>> {
    let line = |line: &str| {
        let mut cells = line.split(',').map(str::trim);
        let index = cells.next()?.parse().ok()?;
        let uuid = cells.next()?.to_owned();
        let rest: Vec<&str> = cells.collect();
        // Of older drivers the last number is what is used; a name does not end in two numbers of its own.
        let numbers = rest.iter().rev().take_while(|cell| amount(cell).is_some() || cell.starts_with('[')).count().min(3);
        let (name, numbers) = rest.split_at(rest.len() - numbers);
        let [total, used, reserved @ ..] = numbers else { return None };
        let total = amount(total)?;
        let reserved = reserved.first().and_then(|reserved| amount(reserved)).unwrap_or(Bytes::ZERO);
        let gpu = LocalGpu { index, name: name.join(", "), total: total - reserved, used: amount(used).unwrap_or(Bytes::ZERO) };
        (!name.is_empty() && gpu.total > Bytes::ZERO).then_some((uuid, gpu))
    };
    answer.lines().filter(|text| !text.trim().is_empty()).map(line).collect()
}

/// An amount in MiB; nothing for `[N/A]`.
fn amount(cell: &str) -> Option<Bytes> {
    cell.parse::<u32>().ok().map(|mib| Bytes::gib(f64::from(mib) / 1024.0))
}

/// Those that CUDA shows, in its order: numbers, or beginnings of UUIDs, up to the first that names none.
fn visible_gpus(gpus: Vec<(String, LocalGpu)>, visible: Option<&str>) -> Vec<LocalGpu> {
    let Some(visible) = visible else { return gpus.into_iter().map(|(_, gpu)| gpu).collect() };
    let named = visible.split(',').map(str::trim).map_while(|word| {
        let by_number = |gpu: &LocalGpu| word.parse() == Ok(gpu.index);
        let found = gpus.iter().find(|(uuid, gpu)| by_number(gpu) || (word.starts_with("GPU-") && uuid.starts_with(word)));
        found.map(|(_, gpu)| gpu.clone())
    });
    named.collect()
}

/// How much disk is free where `folder` lies, or would lie.
///
/// # Errors
/// If `df` isn't there, fails, or answers otherwise than known.
pub fn free_disk(folder: &Path) -> Result<Bytes, MachineError> {
    const NAME: &str = "df";
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let existing = absolute.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("/"));
    let answer = ask(NAME, &["-P", "-k", &existing.to_string_lossy()], LIMIT).map_err(|why| match why {
        NoAnswer::Absent => MachineError::Absent(NAME),
        NoAnswer::Failed | NoAnswer::Late => MachineError::NoAnswer(NAME),
    })?;
    read_disk(&answer).ok_or(MachineError::Strange(NAME))
}

/// `/dev/sda1 1024 24 1000 3% /`: what stands before the share that is used, in KiB.
fn read_disk(answer: &str) -> Option<Bytes> {
    let words: Vec<&str> = answer.lines().nth(1)?.split_whitespace().collect();
    let share = words.iter().position(|word| word.ends_with('%'))?;
    let kib: f64 = words.get(share.checked_sub(1)?)?.parse().ok()?;
    (kib.is_finite() && kib >= 0.0).then(|| Bytes::new(kib * 1024.0))
}

#[cfg(test)]
mod tests {
    use cfg_memory::Bytes;

    use super::{LocalGpu, MachineError, local_hardware, read_disk, read_gpus, visible_gpus};

    const TWO: &str =
        "0, GPU-8f1a, NVIDIA H100 80GB HBM3, 81559, 4, 551\n1, GPU-77aa, NVIDIA H100 80GB HBM3, 81559, 50000, 551\n";

    fn shown(answer: &str, visible: Option<&str>) -> Vec<LocalGpu> {
        visible_gpus(read_gpus(answer).expect("known"), visible)
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
    fn only_what_cuda_shows_counts() {
        let indices = |visible| shown(TWO, Some(visible)).iter().map(|gpu| gpu.index).collect::<Vec<_>>();
        assert_eq!(indices("1"), [1]);
        assert_eq!(indices("1,0"), [1, 0]);
        assert_eq!(indices("GPU-77"), [1]);
        assert_eq!(indices("0,-1,1"), [0]);
        assert_eq!(indices(""), [0; 0]);
    }

    #[test]
    fn sizes_of_one_name_are_told_apart_and_kinds_are_not_mixed() {
        let forty = shown("0, GPU-1, NVIDIA A100-PCIE-40GB, 40960, 0, 500\n", None);
        assert_eq!(&*local_hardware(&forty, &[]).expect("known").gpu.name, "A100-40");
        let mixed = shown("0, GPU-1, T4, 15109, 0\n1, GPU-2, L4, 23034, 0\n", None);
        assert_eq!(local_hardware(&mixed, &[]), Err(MachineError::Mixed(vec!["L4".to_owned(), "T4".to_owned()])));
        assert_eq!(local_hardware(&[], &[]), Err(MachineError::NoGpu));
    }

    #[test]
    fn free_disk_is_read_from_what_df_says() {
        let answer = "Filesystem 1024-blocks Used Available Capacity Mounted on\nmy disk 1024 24 1000 3% /mnt/a b\n";
        assert_eq!(read_disk(answer).map(Bytes::whole), Some(1_024_000));
        for text in ["", "Filesystem\n", "a\nb c 3%", "a\n3%"] {
            assert_eq!(read_disk(text), None, "{text}");
        }
    }
}
