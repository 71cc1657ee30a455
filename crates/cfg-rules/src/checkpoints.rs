//! Checkpoints for a run whose config saves none: which runs need them, at which interval, and how many are kept. Rules recommend them, and `cfg
//! launch` turns them on.

use cfg_plan::Plan;
use cfg_resolve::View;
use cfg_schema::{Behaviour, Point};

use crate::{
    operations::{has_no_end, trial_steps},
    rule,
};

/// Steps between two checkpoints: prime-rl's own default until December 2025, and two to four hours of RL.
pub const INTERVAL: i64 = 50;

/// The number of checkpoints to keep: two, because the newest may be incomplete.
pub const KEPT: i64 = 2;

/// The key of the number of checkpoints to keep.
pub fn keep_key(point: Point) -> &'static str {
    if point.lacks(Behaviour::KeepInterval) { "ckpt.keep" } else { "ckpt.keep_last" }
}

/// Whether a config saves nothing although its run is long, has no end, or resumes from a checkpoint. `is_for_tests` is whether its path marks it
/// as a config for tests ([`Project::is_for_tests`](crate::Project)).
pub fn are_missing(plan: &Plan, view: &View<'_>, is_for_tests: bool) -> bool {
    let Some(trainer) = plan.trainer.as_ref().filter(|_| are_off(plan) && !is_for_tests && !rule::is_trial(plan)) else {
        return false;
    };
    // Since 2026-08 a run can resume without a table `ckpt`, and `resume` needs no step.
    view.has("resume")
        || match trainer.max_steps.get() {
            Some(steps) => steps > trial_steps(plan),
            // A run without an end and without logging is a trial.
            None => has_no_end(plan) && trainer.wandb.fact().is_some_and(cfg_plan::Fact::is_written),
        }
}

/// Whether nothing is saved, and the config does not turn saving off explicitly with "None". Early versions can save weights without checkpoints.
pub(crate) fn are_off(plan: &Plan) -> bool {
    let Some(trainer) = &plan.trainer else { return false };
    trainer.ckpt.is_empty() && !trainer.ckpt.is_written() && trainer.weights.value().is_none()
}

/// The title of a repair that turns them on, in imperative form.
pub(crate) fn order() -> String {
    format!("save every {INTERVAL} steps, and keep the last two")
}
