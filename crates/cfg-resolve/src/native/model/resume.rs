//! A run is resumed from a step or from a folder, not both, and the folder must be that of a step, because its name contains the step.

use std::path::{Component, Path};

use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let Some(dir) = cx.str("dir") else { return Ok(()) };
    if cx.has("step") {
        let message = format!("`step` is {} and `dir` is \"{dir}\": the folder's name already states the step", cx.show("step"));
        return Err(Failure::value(message, &["step", "dir"]).help("remove one of the two"));
    }
    let last = match Path::new(dir).components().next_back() {
        Some(Component::Normal(name)) => name.to_str(),
        _ => None,
    };
    let digits = last.and_then(|name| name.strip_prefix("step_")).unwrap_or_default();
    if !digits.is_empty() && digits.chars().all(char::is_numeric) {
        return Ok(());
    }
    Err(Failure::value(format!("`dir` is \"{dir}\", which is not a step's folder"), &["dir"])
        .help("name a folder `.../step_<number>`, as checkpoints are saved"))
}
