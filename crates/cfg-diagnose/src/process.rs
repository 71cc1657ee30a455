//! A process of a run, and its state.

use crate::Component;

/// The state of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessState {
    /// It has not done anything yet.
    Starting,
    /// It makes progress.
    Working,
    /// It waits for the weights of a step.
    Waiting,
    /// It said that it is done.
    Finished,
    /// It was stopped before it was done.
    Stopped,
    /// It ended with an error.
    Failed,
}

impl ProcessState {
    /// Its name in text and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Working => "working",
            Self::Waiting => "waiting",
            Self::Finished => "finished",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
        }
    }
}

/// A process of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Which one.
    pub component: Component,
    /// Its state.
    pub state: ProcessState,
    /// Its last step.
    pub step: Option<i64>,
}

/// Which of two states of one process says more.
pub(crate) const fn rank(state: ProcessState) -> u8 {
    match state {
        ProcessState::Starting => 0,
        ProcessState::Working => 1,
        ProcessState::Waiting => 2,
        ProcessState::Stopped => 3,
        ProcessState::Failed => 4,
        ProcessState::Finished => 5,
    }
}
