//! If the chunk size of the fused head is not given, the trainer fills it in.

use cfg_schema::Behaviour;

use crate::native::{Failure, ValidatorCtx};
pub(super) fn chunk(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    const PATH: &str = "model.fused_lm_head_chunk_size";
    let liger = cx.is("model.impl", "liger_kernel");
    let left_open = if cx.point.lacks(Behaviour::AutoChunks) { !cx.has(PATH) && !liger } else { cx.is(PATH, "auto") };
    if !left_open {
        return Ok(());
    }
    if liger && cx.point.has(Behaviour::AutoChunks) && cx.point.lacks(Behaviour::LigerChunks) {
        cx.from("model.impl").set_str(PATH, "disabled");
    } else {
        cx.set_int(PATH, if cx.point.lacks(Behaviour::LargerChunks) { 2048 } else { 8192 });
    }
    Ok(())
}

pub(super) fn token_chunk(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    const PATH: &str = "model.fused_lm_head_token_chunk_size";
    if cx.is(PATH, "auto") {
        cx.set_int(PATH, 8192);
    }
    Ok(())
}
