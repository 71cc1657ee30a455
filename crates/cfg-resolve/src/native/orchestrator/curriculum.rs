//! A curriculum draws problems from pools by their reward, and its gates reject groups by their advantage.

use crate::native::{Failure, ValidatorCtx};

/// The lower end of a gate's range must not exceed the upper one.
pub(super) fn range(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    match (cx.float("reject_min"), cx.float("reject_max")) {
        (Some(least), Some(most)) if least > most => {
            Err(Failure::value(format!("`reject_min` {least} is more than `reject_max` {most}"), &["reject_min", "reject_max"])
                .help("swap the two"))
        }
        _ => Ok(()),
    }
}

/// There must be pools, no two may have the same threshold, and at least one must have a positive weight.
pub(super) fn pools(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.is_set("pools") {
        // The three pools of prime-rl's default are valid.
        return Ok(());
    }
    let pools = cx.each("pools");
    let thresholds: Vec<f64> = pools.iter().filter_map(|pool| pool.float("threshold")).collect();
    let is_drawn_from = pools.iter().any(|pool| pool.float("weight").is_some_and(|weight| weight > 0.0));
    if pools.is_empty() {
        return Err(Failure::value("`pools` is empty: there is nothing to sample problems from", &["pools"])
            .help("write at least one pool, or remove `pools` for prime-rl's own three"));
    }
    let twice = thresholds.iter().enumerate().find(|(index, threshold)| thresholds[..*index].contains(threshold));
    if let Some((_, threshold)) = twice {
        return Err(Failure::value(format!("two pools have the threshold {threshold}"), &["pools"])
            .help("give each pool its own threshold"));
    }
    if !is_drawn_from {
        return Err(Failure::value("every pool has weight 0: there is nothing to sample problems from", &["pools"])
            .help("give one pool a positive weight"));
    }
    Ok(())
}
