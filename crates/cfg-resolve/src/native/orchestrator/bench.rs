//! A benchmark runs four steps without evaluation and without samples in the logs, and until e792f9cf8 without waiting for weights.

use crate::native::{Failure, ValidatorCtx};

/// Sets the values for a benchmark.
pub(super) fn setup(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.bool("bench") {
        cx.from("bench").set_int("max_steps", 4);
        cx.from("bench").set_int("async_level", 1_000_000_000);
        cx.from("bench").set_int("max_async_level", 1_000_000_000);
        cx.from("bench").set_null("eval");
        cx.from("bench").set_null("monitor.wandb.log_extras");
        cx.from("bench").set_null("wandb.log_extras");
        cx.from("bench").set_null("prime_monitor.log_extras");
    }
    Ok(())
}
