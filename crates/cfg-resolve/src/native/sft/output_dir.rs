//! On SLURM each run needs its own output folder: two runs in the default folder would overwrite each other.

use std::path::{Component, Path};

use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let Some(dir) = cx.str("output_dir") else { return Ok(()) };
    let parts = Path::new(dir).components().filter(|part| *part != Component::CurDir);
    if !cx.has("slurm") || !parts.eq([Component::Normal("outputs".as_ref())]) {
        return Ok(());
    }
    Err(Failure::value(
        "`slurm` is set, but `output_dir` is the default \"outputs\", which all runs share",
        &["output_dir", "slurm"],
    )
    .help("choose a folder for this run, such as `output_dir = \"/shared/experiments/my-run\"`"))
}
