//! The pool of renderers serves rollouts of the trained model. Without such rollouts, its size has no effect.

use cfg_schema::Behaviour;

use super::names;
use crate::native::{Failure, ValidatorCtx};

/// A pool size requires rollouts that use the pool.
pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let Some(size) = cx.int("pool_size") else { return Ok(()) };
    let is_used = if cx.point.has(Behaviour::Algorithms) {
        cx.each(names::train_path(cx)).iter().any(|env| env.is("algo.sampling.source", "policy"))
    } else {
        cx.has("renderer")
    };
    if is_used {
        return Ok(());
    }
    let (why, end) = if cx.point.has(Behaviour::Algorithms) {
        ("no training environment samples from the trained model", "train")
    } else {
        ("there is no renderer", "renderer")
    };
    Err(Failure::value(format!("`pool_size` {size} is for renderers, but {why}"), &["pool_size", end]).help("remove `pool_size`"))
}
