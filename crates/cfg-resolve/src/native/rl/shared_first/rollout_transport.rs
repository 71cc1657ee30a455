//! Rollouts go from the orchestrator to the trainer by one transport, on which both must agree; it becomes the shared one.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    const TRAINER: &str = "trainer.rollout_transport.type";
    const ORCHESTRATOR: &str = "orchestrator.rollout_transport.type";
    let (trainer, orchestrator) = (cx.str(TRAINER).unwrap_or_default(), cx.str(ORCHESTRATOR).unwrap_or_default());
    if trainer != orchestrator {
        let message = format!("`{TRAINER}` is \"{trainer}\", but `{ORCHESTRATOR}` is \"{orchestrator}\"");
        return Err(Failure::value(message, &[TRAINER, ORCHESTRATOR])
            .help("write a shared `[rollout_transport]` table instead of the two"));
    }
    if !cx.has("rollout_transport") {
        cx.copy("trainer.rollout_transport", "rollout_transport");
    }
    Ok(())
}
