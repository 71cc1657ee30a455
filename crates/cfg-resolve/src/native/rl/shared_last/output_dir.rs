//! The shared output folder always replaces those of trainer and orchestrator, because each reads what the other writes. Since `b8697b0f0`
//! the orchestrator's folder is `run_default` below it.

use cfg_schema::Behaviour;

use super::same;
use crate::native::{Failure, ValidatorCtx};

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.point.has(Behaviour::Deployments) && cx.point.lacks(Behaviour::OutputDirDefault) && !cx.has("output_dir") {
        if cx.has("slurm") {
            let message = "`slurm` is set, but `output_dir` is not: this version has no default folder for SLURM jobs";
            return Err(Failure::value(message, &["output_dir", "slurm"]).help("set `output_dir`"));
        }
        cx.set_str("output_dir", "outputs");
    }
    if let Some(folder) = cx.str("output_dir").map(str::to_owned) {
        cx.from("output_dir").set_str("trainer.output_dir", &folder);
        let own = if cx.point.lacks(Behaviour::RunFolder) { folder } else { below(&folder) };
        cx.from("output_dir").set_str("orchestrator.output_dir", &own);
        return Ok(());
    }
    if cx.point.lacks(Behaviour::RunFolder) {
        same::same(cx, "trainer.output_dir", "orchestrator.output_dir", "output_dir")
    } else {
        Ok(())
    }
}

fn below(folder: &str) -> String {
    match folder {
        "." => "run_default".to_owned(),
        _ if folder.ends_with('/') => format!("{folder}run_default"),
        _ => format!("{folder}/run_default"),
    }
}
