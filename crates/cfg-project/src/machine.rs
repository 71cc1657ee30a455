//! Why the GPUs of this machine are unknown.

use std::fmt;

/// Why the GPUs of this machine are unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MachineError {
    /// The program does not exist here.
    Absent(&'static str),
    /// It failed, or did not answer in time.
    NoAnswer(&'static str),
    /// The format of its answer is unknown.
    Strange(&'static str),
    /// There is no GPU, or none is visible.
    NoGpu,
    /// The GPUs are of different kinds.
    Mixed(Vec<String>),
}

impl fmt::Display for MachineError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent(program) => write!(formatter, "`{program}` is not installed"),
            Self::NoAnswer(program) => write!(formatter, "`{program}` gave no output"),
            Self::Strange(program) => write!(formatter, "unexpected output from `{program}`"),
            Self::NoGpu => formatter.write_str("no GPU of this machine is visible"),
            Self::Mixed(names) => {
                write!(formatter, "this machine has several kinds of GPUs ({}): choose one", names.join(", "))
            }
        }
    }
}

impl std::error::Error for MachineError {}
