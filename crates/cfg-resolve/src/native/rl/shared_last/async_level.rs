//! The shared asynchronous level replaces those of trainer and orchestrator, which must use the same lag between policies.

use cfg_schema::Behaviour;

use super::{same::same, share};
use crate::native::{Failure, ValidatorCtx};

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.point.lacks(Behaviour::ZeroIsShared) {
        share(cx, "async_level", &["trainer.async_level", "orchestrator.async_level"]);
        return same(cx, "trainer.async_level", "orchestrator.async_level", "async_level");
    }
    share(cx, "max_async_level", &["trainer.max_async_level", "orchestrator.max_async_level"]);
    same(cx, "trainer.max_async_level", "orchestrator.max_async_level", "max_async_level")
}
