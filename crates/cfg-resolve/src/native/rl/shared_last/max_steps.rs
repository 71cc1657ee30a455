//! The shared number of steps replaces those of trainer and orchestrator, which must stop together.

use super::{same::same, share};
use crate::native::{Failure, ValidatorCtx};

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    share(cx, "max_steps", &["trainer.max_steps", "orchestrator.max_steps"]);
    same(cx, "trainer.max_steps", "orchestrator.max_steps", "max_steps")
}
