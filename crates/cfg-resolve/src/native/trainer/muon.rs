//! Muon orthogonalizes whole matrices on the GPU, so the weights must not be in main memory.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.is("optim.type", "muon") || !cx.bool("model.fsdp_cpu_offload") {
        return Ok(());
    }
    let message = "`optim.type` is \"muon\", but `model.fsdp_cpu_offload` is true: Muon needs the weights on the GPU";
    Err(Failure::value(message, &["optim.type", "model.fsdp_cpu_offload"])
        .help("write `fsdp_cpu_offload = false` under `model`, or choose another optimizer"))
}
