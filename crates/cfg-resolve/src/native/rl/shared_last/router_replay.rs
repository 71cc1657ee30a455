//! To replay the experts of a rollout, inference must return them.

use crate::native::{Failure, ValidatorCtx};
pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.bool("trainer.enable_router_replay") {
        cx.from("trainer.enable_router_replay").set_bool("inference.enable_return_routed_experts", true);
    }
    Ok(())
}
