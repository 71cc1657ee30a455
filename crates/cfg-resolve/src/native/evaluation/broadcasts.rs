//! The folder in which new weights appear for evaluation.

use crate::native::{Failure, ValidatorCtx};

/// It must be the folder of a run's broadcasts.
pub(super) fn folder(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.has("online") && !cx.has("online.broadcasts_dir") {
        below_output(cx, "online.broadcasts_dir", "broadcasts");
    }
    Ok(())
}

/// It must be the folder of a run's weights.
pub(super) fn weights(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.has("weights_dir") {
        below_output(cx, "weights_dir", "weights");
    }
    Ok(())
}

fn below_output(cx: &mut ValidatorCtx<'_>, path: &'static str, name: &str) {
    if let Some(folder) = cx.str("output_dir").map(|folder| format!("{}/{name}", folder.trim_end_matches('/'))) {
        cx.set_str(path, &folder);
    }
}
