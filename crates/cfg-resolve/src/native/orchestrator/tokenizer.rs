//! The tokenizer is the model's own, unless the config names another one.

use crate::native::{Failure, ValidatorCtx};

/// Copies the name, and whether its code is trusted.
pub(super) fn setup(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let model = if cx.exists("student.model") { "student.model" } else { "model" };
    for key in ["name", "trust_remote_code"] {
        let to = format!("tokenizer.{key}");
        if !cx.has(&to) {
            cx.copy(&format!("{model}.{key}"), &to);
        }
    }
    Ok(())
}
