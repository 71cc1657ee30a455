//! Resuming: what the shared table says replaces what the components say, silently.

use crate::native::{Cx, Failure};
pub(super) fn copy(cx: &mut Cx<'_>) -> Result<(), Failure> {
    if cx.has("resume") {
        cx.copy("resume", "trainer.resume");
        cx.copy("resume", "orchestrator.resume");
    }
    Ok(())
}
