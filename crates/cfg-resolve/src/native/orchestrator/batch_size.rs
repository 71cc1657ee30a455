//! A step trains on whole groups of rollouts, so the number of rollouts of a batch must be a multiple of the group size.

use crate::native::{Failure, ValidatorCtx};

/// The batch must be a multiple of the group, and until 9a0070b1b of the micro batch.
pub(super) fn divisible(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let Some(batch) = cx.int("batch_size") else { return Ok(()) };
    divides(batch, cx.int("rollouts_per_example"), "rollouts_per_example")?;
    divides(batch, cx.int("micro_batch_size"), "micro_batch_size")
}

/// Refuses a batch that is not a multiple of `part`.
pub(super) fn divides(batch: i128, part: Option<i128>, name: &'static str) -> Result<(), Failure> {
    let Some(part) = part else { return Ok(()) };
    match batch.checked_rem(part) {
        None | Some(0) => Ok(()),
        Some(rest) => {
            let failure =
                Failure::value(format!("`batch_size` {batch} is not a multiple of `{name}` {part}"), &["batch_size", name]);
            let (below, above) = (batch - rest, batch.saturating_add(part - rest));
            Err(if below > 0 {
                failure.help(format!("write `batch_size = {below}` or `batch_size = {above}`"))
            } else {
                failure.help(format!("write `batch_size = {above}`"))
            })
        }
    }
}

/// There must be room for at least one group at a time; until 31b48b8b1, for one group per worker of an environment.
pub(super) fn max_concurrent(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let (Some(most), Some(group)) = (cx.int("max_concurrent"), cx.int("rollouts_per_example")) else { return Ok(()) };
    let workers = cx.int("workers_per_env").filter(|&workers| workers != 0).unwrap_or(1);
    let least = group.saturating_mul(workers);
    if most >= least {
        return Ok(());
    }
    let message = if workers == 1 {
        format!("`max_concurrent` {most} is less than one group of {group} rollouts")
    } else {
        format!("`max_concurrent` {most} is less than one group of {group} rollouts for each of {workers} workers")
    };
    Err(Failure::value(message, &["max_concurrent", "rollouts_per_example"]).help(format!("write {least} or more")))
}
