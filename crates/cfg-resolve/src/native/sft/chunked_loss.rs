//! For a long time fine-tuning could not compute its loss in chunks: a chunk size was refused, and "auto" turned chunks off.

use cfg_schema::Behaviour;

use crate::native::{Failure, ValidatorCtx};

pub(super) fn refuse(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.has("model.fused_lm_head_chunk_size") {
        Err(refusal(
            cx,
            "model.fused_lm_head_chunk_size",
            "remove \
        it",
        ))
    } else {
        Ok(())
    }
}

pub(super) fn disable(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    // 93cd1fa37 renamed the key. Since c5afcaa2e numbers are replaced instead of refused.
    let path = if cx.exists("model.fused_lm_head_token_chunk_size") {
        "model.fused_lm_head_token_chunk_size"
    } else {
        "model.fused_lm_head_chunk_size"
    };
    if cx.point.lacks(Behaviour::AutoEp) && cx.int(path).is_some() {
        return Err(refusal(cx, path, "write \"disabled\""));
    }
    cx.set_str(path, "disabled");
    Ok(())
}

fn refusal(cx: &ValidatorCtx<'_>, path: &'static str, help: &str) -> Failure {
    Failure::value(format!("`{path}` is {}, but fine-tuning can't compute its loss in chunks", cx.show(path)), &[path]).help(help)
}
