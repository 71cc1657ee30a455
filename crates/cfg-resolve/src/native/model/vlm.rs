//! A model with image input is trained entirely in bfloat16, as vLLM serves it; otherwise the probabilities of trainer and inference differ.

use crate::native::{Failure, ValidatorCtx};

/// The prefixes of names, in lower case, that meant a model with image input before the `vlm` table existed.
const NAMES: [&str; 2] = ["qwen/qwen3-vl", "qwen/qwen3.5"];

pub(super) fn known_model(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if is_known(cx, "name") { precision(cx, ["optimization_dtype", "reduce_dtype"]) } else { Ok(()) }
}

/// Whether the name at this path is that of a known model with image input.
pub(super) fn is_known(cx: &ValidatorCtx<'_>, path: &'static str) -> bool {
    let name = cx.str(path).unwrap_or_default().to_lowercase();
    NAMES.iter().any(|begin| name.starts_with(begin))
}

pub(super) fn precision(cx: &ValidatorCtx<'_>, paths: [&'static str; 2]) -> Result<(), Failure> {
    let Some(wrong) = paths.into_iter().find(|path| !cx.is(path, "bfloat16")) else { return Ok(()) };
    let message = format!("`{wrong}` is {}, but a vision model is trained in bfloat16, as vLLM serves it", cx.show(wrong));
    let [one, other] = paths;
    Err(Failure::value(message, &[wrong]).help(format!("write \"bfloat16\" for both `{one}` and `{other}`")))
}
