//! Resuming: the shared table silently replaces the values of the components.

use crate::native::{Failure, ValidatorCtx};
pub(super) fn copy(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.has("resume") {
        cx.copy("resume", "trainer.resume");
        cx.copy("resume", "orchestrator.resume");
    }
    Ok(())
}
