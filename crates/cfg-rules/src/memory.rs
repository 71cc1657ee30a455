//! Memory: what the GPUs have to hold, if the hardware is stated.

pub(crate) mod disk_full;
pub(crate) mod kv_cache_crowded;
pub(crate) mod kv_cache_too_small;
pub(crate) mod missing_checkpointing;
pub(crate) mod no_kv_cache;
pub(crate) mod no_memory_to_load;
pub(crate) mod no_memory_to_start;
pub(crate) mod offload_exceeds_host;
pub(crate) mod out_of_memory;
pub(crate) mod shared_gpu_default;
pub(crate) mod tight_memory;
pub(crate) mod unchecked_memory;
