//! A run resumes from a step of its own checkpoints, or from a checkpoint's folder, whose name contains the step.

use crate::native::{Failure, ValidatorCtx};

/// Only one of the two may be given, and the folder must have the name of a checkpoint.
pub(super) fn one_of_two(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let Some(folder) = cx.str("dir").map(String::from) else { return Ok(()) };
    if let Some(step) = cx.int("step") {
        return Err(Failure::value(format!("`step` {step} and `dir` \"{folder}\" both state where to resume"), &["step", "dir"])
            .help("remove `step`: the folder's name states it"));
    }
    let name = folder.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let digits = name.strip_prefix("step_").unwrap_or_default();
    if digits.is_empty() || !digits.chars().all(char::is_numeric) {
        return Err(Failure::value(format!("`dir` \"{folder}\" is not the folder of a step's checkpoint"), &["dir"])
            .help("write a folder named `step_` and a number, such as \"outputs/checkpoints/step_100\""));
    }
    Ok(())
}
