//! A run is called after its dataset and model and a few random digits, and its folder and its page at Weights & Biases after the run.
//! The random name is left open here.

use super::trainer;
use crate::native::{Failure, ValidatorCtx};
pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.has("run.name") {
        return Ok(());
    }
    let page = format!("{}.name", trainer::wandb(cx));
    for path in ["run.dir", page.as_str()] {
        if !cx.has(path) {
            cx.copy("run.name", path);
        }
    }
    Ok(())
}
