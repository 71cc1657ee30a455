//! Reads the output folder of a run: checkpoints, the steps that the run reached, its W&B runs. Nothing is changed.
//!
//! A run of prime-rl writes to one folder, its `output_dir` (since 2026-08 `output_dir/run.name`). The trainer's checkpoints are in
//! `checkpoints/step_N/trainer`, the orchestrator's in `checkpoints/step_N/orchestrator` of the same folder or of a subfolder `run_*`. Rollouts and
//! broadcasts have their own folders `step_N`.

mod checkpoint;
mod configs;
mod folder;
mod runs;
mod tracked;
mod written;

pub use checkpoint::{Checkpoint, Part, State};
pub use configs::left_config;
pub use folder::{Component, RunFolder};
pub use runs::{inner_runs, runs};
pub use tracked::Tracked;
