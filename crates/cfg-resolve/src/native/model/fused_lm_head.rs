//! The head of the model is computed in chunks of tokens to save memory. Chunks below 512 are refused, and for some time also chunks with the Liger
//! kernels, which have their own.

use crate::native::{Failure, ValidatorCtx};

const LEAST: i128 = 512;

pub(super) fn bounds(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    match cx.int("fused_lm_head_chunk_size") {
        Some(size) if size < LEAST => {
            let message = format!("`fused_lm_head_chunk_size` is {size}, but chunks must have at least {LEAST} tokens");
            Err(Failure::value(message, &["fused_lm_head_chunk_size"]).help(format!("write {LEAST} or more; 8192 is usual")))
        }
        _ => Ok(()),
    }
}

pub(super) fn liger(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    match cx.int("fused_lm_head_chunk_size") {
        Some(size) if cx.is("impl", "liger_kernel") => {
            let message =
                format!("`fused_lm_head_chunk_size` is {size}, but `impl` is \"liger_kernel\", which has its own fused head");
            Err(Failure::value(message, &["fused_lm_head_chunk_size", "impl"])
                .help("write `fused_lm_head_chunk_size = \"disabled\"`, or choose another `impl`"))
        }
        _ => Ok(()),
    }
}
