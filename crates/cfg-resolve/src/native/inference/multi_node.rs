//! Only SLURM starts inference on several nodes, so prime-rl requires the table `slurm`.

use cfg_schema::Behaviour;

use crate::native::{Failure, ValidatorCtx};

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let needs = match cx.tag("deployment") {
        Some("multi_node") => "multi_node",
        Some("disaggregated") if cx.point.has(Behaviour::InferenceSlurm) => "disaggregated",
        _ => return Ok(()),
    };
    if cx.has("slurm") {
        return Ok(());
    }
    let message = format!(
        "`deployment.type` is \"{needs}\", but there is no `[slurm]` table: prime-rl starts several nodes through SLURM only"
    );
    Err(Failure::value(message, &["deployment.type", "slurm"]).help("add `[slurm]`, or set `deployment.type = \"single_node\"`"))
}
