//! How a command ends early.

use std::io;

use crate::Outcome;

/// Why a command ends early.
#[derive(Debug)]
pub(crate) enum Ended {
    /// The reason has been reported.
    Reported(Outcome),
    /// Its output can't be written.
    Output(io::Error),
}

/// The result of a command, or of a step of one.
pub(crate) type CommandResult<T = Outcome> = Result<T, Ended>;

impl From<Outcome> for Ended {
    fn from(outcome: Outcome) -> Self {
        Self::Reported(outcome)
    }
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
