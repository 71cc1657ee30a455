//! The library with which experts exchange tokens: any library except `torch` makes sense only with experts distributed over GPUs, and MXFP8 works
//! only with `torch`.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn needs_experts(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    // "auto", which is allowed here since c5afcaa2e, counts as more than one.
    let Some(ep) = cx.int("ep") else { return Ok(()) };
    if cx.is("ep_comm_backend", "torch") || ep > 1 {
        return Ok(());
    }
    let message = format!(
        "`ep_comm_backend` is {}, but `ep` is {ep}: without expert parallelism there is nothing to exchange",
        cx.show("ep_comm_backend")
    );
    Err(Failure::value(message, &["ep_comm_backend", "ep"])
        .help("set `ep` to the number of GPUs that share the experts, or write `ep_comm_backend = \"torch\"`"))
}

pub(super) fn mxfp8(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.tag("quantization") != Some("mxfp8") || cx.is("ep_comm_backend", "torch") {
        return Ok(());
    }
    let message = format!(
        "`quantization.type` is \"mxfp8\", but `ep_comm_backend` is {}: MXFP8 works only with the \"torch\" backend",
        cx.show("ep_comm_backend")
    );
    Err(Failure::value(message, &["ep_comm_backend", "quantization.type"])
        .help("write `ep_comm_backend = \"torch\"`, or `type = \"fp8\"` under `quantization`"))
}
