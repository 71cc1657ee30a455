//! Where the chunk size of the fused head is left to prime-rl, the trainer fills it in.

use crate::native::{Cx, Failure};
pub(super) fn chunk(cx: &mut Cx<'_>) -> Result<(), Failure> {
    const PATH: &str = "model.fused_lm_head_chunk_size";
    let liger = cx.is("model.impl", "liger_kernel");
    // e3146ba9f (147) made "auto" of null, a57550349 (152) no longer spared the Liger kernels, 83c21ddac (196) took larger chunks.
    let left_open = if cx.point.0 < 147 { !cx.has(PATH) && !liger } else { cx.is(PATH, "auto") };
    match cx.point.0 {
        _ if !left_open => {}
        147..=151 if liger => cx.set_str(PATH, "disabled"),
        ..=195 => cx.set_int(PATH, 2048),
        _ => cx.set_int(PATH, 8192),
    }
    Ok(())
}
pub(super) fn token_chunk(cx: &mut Cx<'_>) -> Result<(), Failure> {
    const PATH: &str = "model.fused_lm_head_token_chunk_size";
    if cx.is(PATH, "auto") {
        cx.set_int(PATH, 8192);
    }
    Ok(())
}
