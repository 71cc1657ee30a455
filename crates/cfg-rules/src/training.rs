//! The trainer's own numbers, and how models are on GPUs.

pub(crate) mod indivisible_heads;
pub(crate) mod learning_rate;
