//! Early fine-tuning saved weights separately from checkpoints: with checkpoints on, weights are saved at least at each checkpoint.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.has("ckpt") {
        return Ok(());
    }
    if !cx.has("weights") {
        cx.from("ckpt").set_table("weights", None);
    }
    let Some(every) = cx.int("ckpt.interval") else { return Ok(()) };
    let Some(weights) = cx.int("weights.interval") else {
        cx.from("ckpt.interval").set_int("weights.interval", every);
        return Ok(());
    };
    if every.checked_rem(weights) == Some(0) {
        return Ok(());
    }
    let message =
        format!("`weights.interval` is {weights}, but `ckpt.interval` is {every}: some checkpoints would have no weights");
    Err(Failure::value(message, &["weights.interval", "ckpt.interval"])
        .help(format!("write a `weights.interval` that divides {every}, or remove it")))
}
