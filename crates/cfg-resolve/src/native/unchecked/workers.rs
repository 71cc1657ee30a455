//! Processes that read the data of fine-tuning, while the position in the data was not theirs.

use crate::native::{Failure, ValidatorCtx};

const WORKERS: &str = "data.num_workers";

/// The position of more than one process can't be read.
pub(super) fn several(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    match cx.int(WORKERS) {
        Some(workers) if workers > 1 => {
            let message = format!("`{WORKERS}` is {workers}, but the position in the data is that of one process");
            Err(Failure::value(message, &[WORKERS]).help(format!("set `{WORKERS}` to 1")))
        }
        _ => Ok(()),
    }
}

/// A process begins before the checkpoint is loaded.
pub(super) fn resumed(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let is_resumed = cx.has("resume") && cx.tag("data") != Some("fake");
    if !is_resumed || cx.int(WORKERS).is_none_or(|workers| workers < 1) || cx.is_true("ckpt.skip_dataloader") {
        return Ok(());
    }
    let message = "the run is resumed, but the process that reads the data begins before the checkpoint is loaded".to_owned();
    Err(Failure::value(message, &["resume", WORKERS]).help(format!("set `{WORKERS}` to 0")))
}
