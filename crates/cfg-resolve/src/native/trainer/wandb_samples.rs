//! A trainer has no samples to log; it turns that off by itself.

use super::wandb;
use crate::native::{Failure, ValidatorCtx};
pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let extras = format!("{}.log_extras", wandb(cx));
    if cx.has(&extras) {
        cx.set_bool(&format!("{extras}.samples"), false);
    }
    Ok(())
}
