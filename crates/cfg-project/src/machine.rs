//! What the machine says of itself, for those who ask: how much disk is free, and why it says nothing.

use std::{fmt, path::Path, time::Duration};

use cfg_memory::Bytes;

use crate::program::{NoAnswer, ask};

/// So long `df` may take.
const LIMIT: Duration = Duration::from_secs(20);

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

    use super::read_disk;

    #[test]
    fn free_disk_is_read_from_what_df_says() {
        let answer = "Filesystem 1024-blocks Used Available Capacity Mounted on\nmy disk 1024 24 1000 3% /mnt/a b\n";
        assert_eq!(read_disk(answer).map(Bytes::whole), Some(1_024_000));
        for text in ["", "Filesystem\n", "a\nb c 3%", "a\n3%"] {
            assert_eq!(read_disk(text), None, "{text}");
        }
    }
}
