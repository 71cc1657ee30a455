//! Memory: what the GPUs have to hold, if the hardware is stated.

#[cfg(feature = "memory")]
pub(crate) mod disk_full;
#[cfg(feature = "memory")]
pub(crate) mod kv_cache_crowded;
#[cfg(feature = "memory")]
pub(crate) mod kv_cache_too_small;
#[cfg(feature = "memory")]
pub(crate) mod missing_checkpointing;
#[cfg(feature = "memory")]
pub(crate) mod no_kv_cache;
#[cfg(feature = "memory")]
pub(crate) mod no_memory_to_load;
#[cfg(feature = "memory")]
pub(crate) mod no_memory_to_start;
#[cfg(feature = "memory")]
pub(crate) mod offload_exceeds_host;
#[cfg(feature = "memory")]
pub(crate) mod out_of_memory;
#[cfg(feature = "memory")]
pub(crate) mod shared_gpu_default;
#[cfg(feature = "memory")]
pub(crate) mod tight_memory;
#[cfg(feature = "memory")]
pub(crate) mod unchecked_memory;
pub(crate) mod utilization_out_of_range;
