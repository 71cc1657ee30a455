//! The checks of the orchestrator's config.

mod algorithms;
mod batch_size;
mod batching;
mod bench;
mod buffer;
mod clients;
mod concurrency;
mod curriculum;
mod egress;
mod env_kwargs;
mod env_names;
mod env_ratios;
mod eval_lists;
mod filters;
mod inheritance;
mod judges;
pub(super) mod mapped_models;
mod names;
mod nccl;
mod pool_size;
mod prime_monitor;
mod renderer_auto;
mod renderer_configs;
mod renderer_use;
mod resume;
pub(super) mod sources;
mod temperature;
mod tokenizer;
mod training_mode;
mod verification;

use super::Check;

/// The checks of the whole orchestrator config.
pub(super) fn find_root(name: &str) -> Option<Check> {
    Some(match name {
        "_force_no_renderer_for_sft" => training_mode::force_no_renderer,
        "ascyn_nccl" | "nccl_max_async_level" => nccl::async_level,
        "auto_setup_bench" => bench::setup,
        "auto_setup_prime_monitor_name" | "auto_setup_prime_monitor_run_name" => prime_monitor::name,
        "auto_setup_session_headers" => clients::session_headers,
        "auto_setup_tokenizer" => tokenizer::setup,
        "inherit_env_algorithms" => algorithms::inherit,
        "resolve_batching" => batching::resolve,
        "resolve_env_config" => env_kwargs::train,
        "resolve_extra_env_kwargs" => env_kwargs::old_train,
        "validate_batch_size" => batch_size::divisible,
        "validate_client_mode" => renderer_use::one_client,
        "validate_env_algorithms" => algorithms::fits_environment,
        "validate_env_ratios" => env_ratios::one_for_each,
        "validate_length_shaping_requires_online_difficulty_filtering" => buffer::length_shaping,
        "validate_max_concurrent" => batch_size::max_concurrent,
        "validate_pool_size" => pool_size::check,
        "validate_renderer_args" => renderer_use::arguments,
        "validate_renderer_auto_resolves" => renderer_auto::resolves,
        "validate_renderer_vs_vlm" => renderer_use::not_for_vision,
        "validate_sft_distill_mode" => training_mode::distill,
        "validate_temperature_config" => temperature::one_of_two,
        "validate_training_mode" => training_mode::teacher,
        "validate_unique_env_names" => env_names::unique,
        "validate_unique_filter_types" => filters::unique,
        "validate_verification_config" => verification::needed,
        "vlm_requires_renderer" => renderer_use::vision_needs_it,
        _ => return None,
    })
}

/// The checks of its inner tables.
pub(super) fn find(name: &str) -> Option<Check> {
    Some(match name {
        "_check_judges" => judges::unique,
        "_check_reasoning_effort" => renderer_configs::effort,
        "_check_thinking_retention" => renderer_configs::retention,
        "_refuse_legacy_id_with_taskset" => sources::one_identity,
        "_reject_legacy_preserve_flags" => renderer_configs::removed_flags,
        "_validate_and_fill_eval_lists" => eval_lists::fill,
        "_validate_egress" => egress::needs_vm,
        "_validate_idle_timeout" => sources::idle_timeout,
        "apply_prime_config" => judges::endpoint,
        "auto_setup_server_type" => clients::server_type,
        "check_prompt_source" => judges::one_prompt,
        "require_a_role" => algorithms::a_role,
        "require_explicit_endpoint" => algorithms::endpoint,
        "require_frozen_source" => algorithms::frozen_source,
        "resolve_env_defaults" => inheritance::env_defaults,
        "resolve_legacy_env_kwargs" => env_kwargs::legacy,
        "resolve_max_total_completion_tokens" => env_kwargs::completion_tokens,
        "resolve_sampling" => inheritance::sampling,
        "resolve_timeout" => env_kwargs::timeout,
        "save_to_disk_if_save_to_hf" => eval_lists::save_to_disk,
        "validate_bounds" => concurrency::bounds,
        "validate_env" => sources::identity,
        "validate_env_name" => env_names::not_reserved,
        "validate_env_ratios" => env_ratios::inner,
        "validate_non_empty_envs" | "validate_non_empty_sources" => sources::not_empty,
        "_validate_network_policy" | "validate_network_policy" => egress::one_list,
        "validate_pools" => curriculum::pools,
        "validate_range" => curriculum::range,
        "validate_sampling_source" => algorithms::sampling_source,
        "validate_skip_verification" => verification::skipped,
        "validate_step_xor_dir" => resume::one_of_two,
        "validate_thresholds" => buffer::thresholds,
        "validate_unique_env_names" => env_names::unique,
        _ => return None,
    })
}

/// The models that have a renderer at any point, by name.
pub(super) fn models_with_renderer() -> impl Iterator<Item = &'static str> {
    mapped_models::names()
}

/// The renderer for a model at any point, by its latest name.
pub(super) fn renderer_of(model: &str) -> Option<&'static str> {
    mapped_models::renderer(model)
}

/// What to do about a model without a renderer.
pub(super) fn renderer_advice(model: &str, otherwise: &str) -> String {
    mapped_models::advice(model, otherwise)
}

/// Whether the model of this name has a renderer at a point.
pub(super) fn has_renderer(model: &str, point: cfg_schema::Point) -> bool {
    mapped_models::is_mapped(model, point)
}
