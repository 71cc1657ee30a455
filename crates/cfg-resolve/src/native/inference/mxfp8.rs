//! MXFP8 needs GPUs that support it: prime-rl asks PyTorch for the GPU of the machine on which it checks the config.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.is("quantization", "mxfp8") {
        return Ok(());
    }
    let message = "the machine decides whether `quantization = \"mxfp8\"` is accepted: prime-rl refuses it if PyTorch is not installed, and on GPUs with a compute capability other than 10.0";
    Err(Failure::left_open(message, &["quantization"]).help("\"fp8_per_block\" does not require a certain GPU"))
}
