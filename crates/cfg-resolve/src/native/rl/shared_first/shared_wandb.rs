//! Trainer and orchestrator log to one W&B run, so both must log, and to the same project.

use cfg_schema::Behaviour;

use super::{shared::agree, shared_ckpt::both};
use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &ValidatorCtx<'_>) -> Result<(), Failure> {
    const WHY: &str = "the other's metrics would not be logged";
    let (shared, trainer, orchestrator, trainer_project, orchestrator_project, shared_project) = if cx
        .point
        .lacks(Behaviour::Monitors)
    {
        ("wandb", "trainer.wandb", "orchestrator.wandb", "trainer.wandb.project", "orchestrator.wandb.project", "wandb.project")
    } else {
        (
            "monitors.wandb",
            "trainer.monitors.wandb",
            "orchestrator.monitors.wandb",
            "trainer.monitors.wandb.project",
            "orchestrator.monitors.wandb.project",
            "monitors.wandb.project",
        )
    };
    both(cx, trainer, orchestrator, shared, WHY)?;
    if cx.has(trainer) { agree(cx, trainer_project, orchestrator_project, shared_project) } else { Ok(()) }
}
