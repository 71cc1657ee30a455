//! The folder in which the evaluated weights appear.

use crate::native::{Failure, ValidatorCtx};

/// The folder of broadcasts of a run.
pub(super) fn folder(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.has("online") && !cx.has("online.broadcasts_dir") {
        below_output(cx, "online.broadcasts_dir", "broadcasts");
    }
    Ok(())
}

/// The folder of weights of a run.
pub(super) fn weights(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.has("weights_dir") {
        below_output(cx, "weights_dir", "weights");
    }
    Ok(())
}

fn below_output(cx: &mut ValidatorCtx<'_>, path: &str, name: &str) {
    if let Some(folder) = cx.str("output_dir").map(|folder| format!("{}/{name}", folder.trim_end_matches('/'))) {
        cx.set_str(path, &folder);
    }
}
