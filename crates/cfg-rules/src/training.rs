//! The trainer's own numbers, and how models are distributed over GPUs.

pub(crate) mod indivisible_heads;
pub(crate) mod learning_rate;
