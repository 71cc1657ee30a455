//! The tokenizer is the model's, unless the config names another one; the same applies to the trust in its code.

use crate::native::{Failure, ValidatorCtx};
pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    for (from, to) in [("model.name", "tokenizer.name"), ("model.trust_remote_code", "tokenizer.trust_remote_code")] {
        if !cx.has(to) {
            cx.copy(from, to);
        }
    }
    Ok(())
}
