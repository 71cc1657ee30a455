//! A run has the same name on Prime's platform as on Weights & Biases, unless it has its own name there.

use super::names;
use crate::native::{Failure, ValidatorCtx};

/// Copies the name.
pub(super) fn name(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let (from, to) = if cx.exists("monitors") {
        ("monitors.wandb.name", "monitors.prime.name")
    } else {
        ("wandb.name", "prime_monitor.run_name")
    };
    if cx.exists(to) && !cx.has(to) && names::filled(cx, from).is_some() {
        cx.copy(from, to);
    }
    Ok(())
}
