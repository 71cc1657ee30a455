//! The amount of work of a run: steps, rollouts, tokens.

use crate::duration::{Range, table::Kernel};

/// The input of the trainer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Data {
    /// Rollouts, with their number in each step.
    Rollouts {
        /// Rollouts of a step; `None` if a step is counted in tokens.
        count: Option<f64>,
        /// Tokens of a rollout, prompt and answers.
        tokens: Range,
        /// Tokens of its prompt.
        prompt: f64,
        /// Tokens of a step, if that is set instead.
        step: Option<f64>,
    },
    /// Sequences of full length, with their number in each step over all GPUs: supervised fine-tuning, which packs its samples, and random data.
    Sequences(f64),
    /// A trainer's own file does not contain the size of a step.
    Unknown,
}

/// The amount of work of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// The name of the trained model, or of the served one if none is trained.
    pub model: String,
    /// Steps of the run; `None` if it has no end.
    pub steps: Option<f64>,
    /// The training input.
    pub data: Data,
    /// Rollouts in progress at a time; `None` if there is no orchestrator.
    pub in_flight: Option<f64>,
    /// The configured attention kernel; `None` for the card's fastest.
    pub kernel: Option<Kernel>,
    /// Whether it is supervised fine-tuning.
    pub is_sft: bool,
    /// Whether rollouts are generated during the training of the previous step.
    pub is_overlapped: bool,
    /// Assumptions.
    pub assumed: Vec<String>,
}
