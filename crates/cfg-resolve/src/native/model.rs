//! The checks of the model config, and of the other inner tables of the trainer, of fine-tuning, and of the shared tables.

mod activations;
mod batch_size;
mod context_parallel;
mod expert_backend;
mod fused_lm_head;
mod gpu_count;
mod implementation;
mod mask_bounds;
mod model_map;
mod offload;
mod random_init;
mod resume;
mod subsets;
mod vlm;

use super::{Check, Failure, ValidatorCtx};

/// The check of this name.
pub(super) fn find(name: &str) -> Option<Check> {
    let check: Check = match name {
        "_map_model_name_for_moe" => model_map::run,
        "trust_remote_code_only_with_hf" => implementation::trust_remote_code,
        "fused_lm_head_chunk_size_requires_custom_impl" => implementation::fused_lm_head,
        "flash_attention_4_only_with_custom_impl" => implementation::flash_attention_4,
        "selective_ac_only_with_custom_impl" => implementation::selective_activations,
        "fp8_only_with_custom_impl" => implementation::fp8,
        "quantization_only_with_custom_impl" => implementation::quantization,
        "vlm_only_with_custom_impl" => implementation::vlm,
        "random_init_only_with_meta" => random_init::run,
        "cp_only_with_flash_attn" => context_parallel::flash_attention,
        "validate_cp" => context_parallel::both,
        "vlm_cp_requires_ulysses" => context_parallel::vlm,
        "ac_offloading_requires_ac" => activations::offloading,
        "validate_selective_targets" => activations::targets,
        "cpu_offload_mutual_exclusion" => offload::run,
        "fused_lm_head_chunk_size_is_valid" => fused_lm_head::bounds,
        "fused_lm_head_chunk_size_not_supported_for_liger" => fused_lm_head::liger,
        "vlms_require_bfloat16" => vlm::known_model,
        "validate_ep_comm_backend" => expert_backend::needs_experts,
        "mxfp8_only_with_torch_ep_backend" => expert_backend::mxfp8,
        "validate_mask_bounds" => mask_bounds::run,
        "validate_batch_size" => batch_size::run,
        "validate_subsets_and_splits" => subsets::run,
        "validate_gpu_count" => gpu_count::run,
        "validate_step_xor_dir" => resume::run,
        "resolve_project_dir" => left_open,
        _ => return None,
    };
    Some(check)
}

/// For checks that depend only on the machine: on the folder in which a process is started, or on where prime-rl is installed.
/// They accept everything here.
pub(super) fn left_open(_: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    Ok(())
}

/// Whether prime-rl's own model code is used, or may be: `impl` is "custom" or "auto".
pub(super) fn own_code(cx: &ValidatorCtx<'_>, path: &'static str) -> bool {
    cx.is(path, "custom") || cx.is(path, "auto")
}

/// A model with image input must be trained in the precision in which vLLM serves it.
pub(super) fn vlm_precision(cx: &ValidatorCtx<'_>, paths: [&'static str; 2]) -> Result<(), Failure> {
    vlm::precision(cx, paths)
}

/// Whether the name at this path is that of a model with image input, for versions without a table that says so.
pub(super) fn known_vision_model(cx: &ValidatorCtx<'_>, path: &'static str) -> bool {
    vlm::is_known(cx, path)
}
