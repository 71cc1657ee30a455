//! The checks of the inference config.

mod api_server_count;
mod backend_port;
mod disaggregated;
mod kv_cache_offload;
mod lora_rank;
mod multi_node;
mod mxfp8;
mod nccl_and_dp;
mod parsers;
mod replicas;
mod router;
mod scorers;

use cfg_schema::{Behaviour, Point};

pub(crate) use parsers::Family;

use super::{Check, Failure};

/// The checks of the whole inference config. Checks that only set environment variables (`set_env_var_for_lora`, `auto_setup_dynamic_lora_updating`,
/// `auto_setup_vllm_env`), or that depend on where prime-rl is installed (`auto_setup_slurm_template`), do nothing here.
pub(super) fn find_root(name: &str) -> Option<Check> {
    Some(match name {
        "nccl_and_dp" => nccl_and_dp::check,
        "validate_multi_node_requires_slurm" => multi_node::check,
        "validate_mxfp8_requires_sm100" => mxfp8::check,
        "validate_llmd_no_routed_experts" => router::no_routed_experts,
        "validate_router_deployment" => router::deployment,
        "auto_setup_backend_port" => backend_port::check,
        "auto_setup_kv_cache_offload" => kv_cache_offload::prefix_caching,
        "auto_setup_disaggregated" => disaggregated::check,
        "ensure_api_server_count_is_at_least_dp_size" => api_server_count::at_least_dp,
        _ => return find(name),
    })
}

/// The checks of its inner tables, and checks that are at the root at some versions and in the table `vllm` at others.
pub(super) fn find(name: &str) -> Option<Check> {
    Some(match name {
        "resolve_tool_call_parser" => parsers::by_name,
        "auto_resolve_parsers" => parsers::by_family,
        "round_up_max_lora_rank" | "auto_setup_max_lora_rank" => lora_rank::check,
        "auto_setup_api_server_count" => api_server_count::check,
        "validate_replicas_divide_nodes" => replicas::check,
        "validate_scorers" => scorers::check,
        "valid_tiers" => kv_cache_offload::tiers,
        _ => return None,
    })
}

/// The key of an inference setting: the old one, or the one in the table `vllm`.
pub(super) fn key(point: Point, old: &'static str, vllm: &'static str) -> &'static str {
    if point.lacks(Behaviour::VllmTable) { old } else { vllm }
}

/// Python's `a // b`; an uncaught exception if `b` is zero.
pub(super) fn floor_div(a: i128, b: i128, related_keys: &[&'static str]) -> Result<i128, Failure> {
    let quotient = a.checked_div(b).ok_or_else(|| by_zero(related_keys))?;
    let is_exact = quotient.checked_mul(b) == Some(a);
    Ok(if !is_exact && (a < 0) != (b < 0) { quotient.saturating_sub(1) } else { quotient })
}

/// Whether `b` divides `a`; an uncaught exception if `b` is zero.
pub(super) fn divides(b: i128, a: i128, related_keys: &[&'static str]) -> Result<bool, Failure> {
    a.checked_rem(b).map(|rest| rest == 0).ok_or_else(|| by_zero(related_keys))
}

fn by_zero(related_keys: &[&'static str]) -> Failure {
    let place = related_keys.first().copied().unwrap_or_default();
    Failure::exception("ZeroDivisionError", format!("prime-rl divides by `{place}`, which is 0"), related_keys)
        .help("write at least 1")
}
