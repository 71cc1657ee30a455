//! An evaluation resumes from the end of `results.jsonl`, a file for one environment and one model that is written while the evaluation runs.

use crate::native::{Failure, ValidatorCtx};

/// The file must be written while the evaluation runs.
pub(super) fn streamed(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.has("resume_path") || cx.get("save.stream").is_none() || cx.bool("save.stream") {
        return Ok(());
    }
    Err(Failure::value("`resume_path` needs results that are written during the evaluation", &["resume_path", "save.stream"])
        .help("set `save.stream = true`"))
}

/// Several environments are not allowed: they would write to the same file.
pub(super) fn one_environment(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    match cx.len("env") {
        Some(count) if count > 1 && cx.has("resume_path") => {
            Err(Failure::value(format!("`resume_path` is for one environment, but there are {count}"), &["resume_path", "env"])
                .help("evaluate them one by one, each with its own `resume_path`"))
        }
        _ => Ok(()),
    }
}

/// Several checkpoints are not allowed: they would write to the same file.
pub(super) fn one_checkpoint(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.has("resume_path") || !cx.has("weights_dir") {
        return Ok(());
    }
    Err(Failure::value("`resume_path` is for one model, but `weights_dir` may contain several", &["resume_path", "weights_dir"])
        .help("evaluate the checkpoints one by one, or remove `resume_path`"))
}
