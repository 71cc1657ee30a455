//! An evaluation resumes from the end of `results.jsonl`: one file for one environment and one model, written while it runs.

use crate::native::{Failure, ValidatorCtx};

/// A file that is written only at the end can't be resumed from.
pub(super) fn streamed(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.has("resume_path") || cx.get("save.stream").is_none() || cx.bool("save.stream") {
        return Ok(());
    }
    Err(Failure::value("`resume_path` needs results that are written while they come", &["resume_path", "save.stream"])
        .help("set `save.stream = true`"))
}

/// All environments would write to the same file.
pub(super) fn one_environment(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    match cx.len("env") {
        Some(count) if count > 1 && cx.has("resume_path") => {
            Err(Failure::value(format!("`resume_path` is for one environment, and there are {count}"), &["resume_path", "env"])
                .help("evaluate them one by one, each with its own `resume_path`"))
        }
        _ => Ok(()),
    }
}

/// All checkpoints would write to the same file.
pub(super) fn one_checkpoint(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.has("resume_path") || !cx.has("weights_dir") {
        return Ok(());
    }
    Err(Failure::value("`resume_path` is for one model, and `weights_dir` may hold several", &["resume_path", "weights_dir"])
        .help("evaluate the checkpoints one by one, or remove `resume_path`"))
}
