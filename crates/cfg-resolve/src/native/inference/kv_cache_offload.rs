//! Offloading the KV cache: prefix caching must be on, and there must be a tier in CPU memory.

use super::key;
use crate::native::{Failure, ValidatorCtx};

/// Prefix caching is turned on, and must not be turned off.
pub(super) fn prefix_caching(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let caching = key(cx.point, "enable_prefix_caching", "vllm.enable_prefix_caching");
    if !cx.has("kv_cache_offload") {
        return Ok(());
    }
    if cx.has(caching) && !cx.bool(caching) {
        let message = format!("`{caching}` is false, but `kv_cache_offload` is set: offloading needs cached prefixes");
        return Err(Failure::value(message, &[caching, "kv_cache_offload"])
            .help(format!("set `{caching} = true`, or remove `kv_cache_offload`")));
    }
    if !cx.is_set(caching) {
        cx.from("kv_cache_offload").set_bool(caching, true);
    }
    Ok(())
}

/// A disk alone is not enough.
pub(super) fn tiers(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.has("cpu") {
        return Ok(());
    }
    let message = "`kv_cache_offload` has no cpu tier: prime-rl offloads to CPU memory first, and to disk only after that";
    Err(Failure::value(message, &["cpu"]).help("add `cpu = { num_bytes = ... }`"))
}
