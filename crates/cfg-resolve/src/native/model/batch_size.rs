//! A batch is split into micro batches of equal size, so its size must be a multiple of theirs.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let (Some(batch), Some(micro)) = (cx.int("batch_size"), cx.int("micro_batch_size")) else { return Ok(()) };
    if batch.checked_rem(micro) == Some(0) && batch >= micro {
        return Ok(());
    }
    let message = format!("`batch_size` is {batch}, but `micro_batch_size` is {micro}: a batch consists of whole micro-batches");
    let multiple = batch.checked_div(micro).map_or(micro, |times| times.max(0).saturating_add(1).saturating_mul(micro));
    Err(Failure::value(message, &["batch_size", "micro_batch_size"])
        .help(format!("make `batch_size` a multiple of {micro}, such as {multiple}, or lower `micro_batch_size`")))
}
