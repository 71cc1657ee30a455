//! MXFP8 needs GPUs that support it: prime-rl asks PyTorch for the GPU of the machine on which it checks the config.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.is("quantization", "mxfp8") {
        return Ok(());
    }
    let message = "whether `quantization = \"mxfp8\"` is accepted, the machine decides: prime-rl refuses it where PyTorch is not installed, and on GPUs other than those of compute capability 10.0";
    Err(Failure::left_open(message, &["quantization"]).help("\"fp8_per_block\" asks for no kind of GPU"))
}
