//! A run's name is composed of its dataset, its model and some random digits; its folder and its page at Weights & Biases have the same name. The
//! random name stays unknown here.

use super::trainer;
use crate::native::{Failure, ValidatorCtx};
pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.has("run.name") {
        return Ok(());
    }
    let page = format!("{}.name", trainer::wandb(cx));
    if !cx.has("run.dir") {
        cx.copy("run.name", "run.dir");
    }
    if !cx.has(&page) {
        cx.copy("run.name", &page);
    }
    Ok(())
}
