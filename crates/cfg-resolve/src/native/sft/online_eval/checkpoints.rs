//! At first evals read each step's weights from the checkpoints, which therefore must be saved with weights.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.has("ckpt") {
        cx.set_table("ckpt", None);
    }
    let skips = cx.bool("ckpt.skip_gather_master_weights");
    if cx.has("ckpt.weights") && !skips {
        return Ok(());
    }
    let path = if skips { "ckpt.skip_gather_master_weights" } else { "ckpt.weights" };
    let message = format!("`eval` is set, but `{path}` is {}: evals read the weights that checkpoints save", cx.show(path));
    Err(Failure::value(message, &[path, "eval"]).help("add `[ckpt.weights]`, and leave `skip_gather_master_weights` at false"))
}
