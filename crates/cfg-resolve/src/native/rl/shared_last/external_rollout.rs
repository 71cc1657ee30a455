//! Rollouts of an external model exclude a local inference server, which would not be used. Until `d2f36c9f6` the loss and the client were checked
//! here too, later by the orchestrator.

use cfg_schema::Behaviour;

use crate::native::{Failure, ValidatorCtx};

const TEACHER: &str = "orchestrator.teacher_rollout_model";

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.has(TEACHER) {
        return Ok(());
    }
    let all = cx.point.lacks(Behaviour::ExternalNeedsNoInference);
    if all && !cx.is("trainer.loss.type", "sft") {
        let given = cx.str("trainer.loss.type").unwrap_or_default();
        let message =
            format!("`{TEACHER}` is set, but `trainer.loss.type` is \"{given}\": only supervised training can use its rollouts");
        return Err(Failure::value(message, &["trainer.loss.type", TEACHER]).help("set `trainer.loss.type = \"sft\"`"));
    }
    if cx.has("inference") {
        let message =
            format!("`{TEACHER}` and `[inference]` are both set: the rollouts come from outside, so the server would be idle");
        return Err(Failure::value(message, &["inference", TEACHER]).help("remove `[inference]`"));
    }
    if all && cx.bool("orchestrator.use_token_client") {
        let message =
            format!("`{TEACHER}` is set and `orchestrator.use_token_client` is true: an external model does not accept tokens");
        return Err(Failure::value(message, &["orchestrator.use_token_client", TEACHER])
            .help("set `orchestrator.use_token_client = false`"));
    }
    Ok(())
}
