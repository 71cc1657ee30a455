//! Only at the first ten commits: the shared length is copied to orchestrator and inference, and those of both must be equal.

use super::{same::same, share};
use crate::native::{Failure, ValidatorCtx};

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    share(cx, "max_model_len", &["orchestrator.seq_len", "inference.model.max_model_len"]);
    if cx.is_true("inference.model.max_model_len") {
        same(cx, "orchestrator.seq_len", "inference.model.max_model_len", "max_model_len")?;
    }
    Ok(())
}
