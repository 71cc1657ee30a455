//! The SLURM job starts Mooncake's store on each node, so a local run can't use it.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.has("slurm") || cx.tag("inference.kv_cache_offload") != Some("mooncake") {
        return Ok(());
    }
    Err(Failure::value(
        "`inference.kv_cache_offload.type` is \"mooncake\", but there is no `slurm` table",
        &["inference.kv_cache_offload.type", "slurm"],
    )
    .help("set `inference.kv_cache_offload.type = \"native\"`, or add a `[slurm]` table"))
}
