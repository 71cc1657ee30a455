//! With optimizer state in main memory a trainer can serve only one run at a time.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let runs = cx.int("max_concurrent_runs").unwrap_or(1);
    if !cx.bool("model.optim_cpu_offload") || runs <= 1 {
        return Ok(());
    }
    let message =
        format!("`max_concurrent_runs` is {runs}, but `model.optim_cpu_offload` is true: offloaded state belongs to one run");
    Err(Failure::value(message, &["max_concurrent_runs", "model.optim_cpu_offload"])
        .help("write `optim_cpu_offload = false` under `model`, or `max_concurrent_runs = 1`"))
}
