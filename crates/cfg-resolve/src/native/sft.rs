//! The checks of the sft config; those that it shares with the trainer are in `trainer`.

mod chunked_loss;
mod ckpt_managers;
mod context_parallel;
mod deployment;
mod online_eval;
mod output_dir;
mod packing;
mod renderer;
mod run_identity;
mod typed_renderer;
mod vision;

use super::{Check, model, trainer};

/// The check of this name.
pub(super) fn find(name: &str) -> Option<Check> {
    let check: Check = match name {
        "validate_pack_function" => packing::function,
        "validate_seq_len" => packing::seq_len,
        "validate_ckpt_managers" => ckpt_managers::run,
        "validate_cp_seq_len" => context_parallel::seq_len,
        "validate_cp_micro_batch_size" => context_parallel::micro_batch_size,
        "validate_no_chunked_loss" => chunked_loss::refuse,
        "validate_and_disable_chunked_loss" => chunked_loss::disable,
        "validate_deployment" => deployment::needs_slurm,
        "auto_setup_deployment" => deployment::replicas,
        "validate_slurm_output_dir" => output_dir::run,
        "validate_renderer_vs_vlm" => renderer::text_only,
        "validate_renderer_args" => renderer::arguments,
        "validate_vlm_constraints" => vision::run,
        "validate_typed_renderer" => typed_renderer::run,
        "auto_setup_online_eval" => online_eval::run,
        "auto_setup_run_identity" => run_identity::run,
        // The templates are in the folder where prime-rl is installed.
        "auto_setup_slurm_template" => model::left_open,
        _ => return trainer::shared(name),
    };
    Some(check)
}
