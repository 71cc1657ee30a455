//! Resuming: what the shared table says replaces what the components say, silently.

use crate::native::{Failure, ValidatorCtx};
pub(super) fn copy(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.has("resume") {
        cx.copy("resume", "trainer.resume");
        cx.copy("resume", "orchestrator.resume");
    }
    Ok(())
}
