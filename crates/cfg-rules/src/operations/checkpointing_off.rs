//! Checkpoints are off by default. A long run without them is lost with the machine, and leaves nothing usable.

use cfg_diag::codes;
use cfg_schema::Kind;

use super::{has_no_end, trial_steps};
use crate::{
    Check, Context, Finding, FixKind, Repair, Rule, VersionRange,
    checkpoints::{self, INTERVAL, KEPT},
};

pub(crate) static RULE: Rule = Rule {
    code: &codes::CHECKPOINTING_OFF,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Trainer],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let trainer = cx.plan.trainer.as_ref()?;
    if !checkpoints::are_off(cx.plan) || cx.is_trial() || cx.usage_passes("ckpt") {
        return None;
    }
    let keep = checkpoints::keep_key(cx.target.point);
    let repair = || Repair::possible(checkpoints::order()).set(&"ckpt.interval", INTERVAL).set(&keep, KEPT);
    // Since 2026-08 a run can resume without a table `ckpt`, and `resume` needs no step.
    if let Some(location) = cx.view.location("resume").filter(|_| cx.view.has("resume")) {
        let message = "the run resumes from a checkpoint, but saves none itself: what it trains is lost when it ends";
        let help = "add `[ckpt]` with an `interval`: `resume` only loads";
        return Some(Finding::new(message).key("resume").at(location).help(help).repair(repair()));
    }
    let help = format!(
        "add `[ckpt]` with an `interval` and `{}`, or start it with `--ckpt.interval {INTERVAL}`",
        &keep["ckpt.".len()..]
    );
    let finding = match trainer.max_steps.fact() {
        Some(steps) if steps.value > trial_steps(cx.plan) => {
            let message = format!(
                "checkpoints are off: if this run of {} steps stops, it starts over, and nothing is saved at its end",
                steps.value
            );
            Finding::new(message).on(steps)
        }
        // A run without an end and without logging is a trial.
        None if has_no_end(cx.plan) => {
            let logged = trainer.wandb.fact().filter(|wandb| wandb.is_written())?;
            Finding::new(
                "checkpoints are off, and the run has no end: whenever it stops, everything it learned is \
                lost",
            )
            .on(logged)
        }
        _ => return None,
    };
    Some(finding.help(help).repair(repair()))
}
