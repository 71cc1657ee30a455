//! The trainer's own numbers, and how models are distributed over GPUs.

pub(crate) mod cpu_offload_with_nccl;
pub(crate) mod import_path;
pub(crate) mod impossible_value;
pub(crate) mod indivisible_heads;
pub(crate) mod learning_rate;
pub(crate) mod unchecked_contradiction;
