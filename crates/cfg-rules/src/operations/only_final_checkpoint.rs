//! `[ckpt]` without an interval saves once, at the end. A run that stops earlier has saved nothing.

use cfg_diag::{Severity, codes};
use cfg_schema::Kind;

use super::{has_no_end, resume, steps_ahead, trial_steps};
use crate::{
    Check, Context, Finding, FixKind, Repair, Rule, VersionRange,
    checkpoints::{self, INTERVAL, KEPT},
};

/// A resumed run with more steps than this needs a checkpoint in between, because it has already been stopped once.
const RESUMED_STEPS: i64 = 20;

/// A run of fewer steps takes only hours, so a checkpoint at the end alone may be intended.
const LONG: i64 = 1000;

pub(crate) static RULE: Rule = Rule {
    code: &codes::ONLY_FINAL_CHECKPOINT,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Trainer],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let trainer = cx.plan.trainer.as_ref()?;
    let ckpt = trainer.ckpt.fact()?;
    if !ckpt.value.interval.is_empty() || !trainer.max_steps.is_known() || cx.is_trial() || cx.usage_passes("ckpt.interval") {
        return None;
    }
    let resumed = resume(cx);
    let ahead = steps_ahead(cx);
    let message = match (ahead, &resumed) {
        (None, _) if has_no_end(cx.plan) => {
            "no `interval` and no `max_steps`: the only checkpoint is the final one, and the run has no end".to_owned()
        }
        (Some(steps), Some(_)) if steps > RESUMED_STEPS => {
            format!("no `interval`: the resumed run saves nothing before the end of its {steps} steps")
        }
        (Some(steps), None) if steps > trial_steps(cx.plan) => {
            format!("no `interval`: nothing is saved before the end of these {steps} steps")
        }
        _ => return None,
    };
    let mut finding = Finding::new(message).on(ckpt).help(
        "set `ckpt.interval`, so that a run that stops early can resume from the last saved \
            step",
    );
    if resumed.is_none() && ahead.is_some_and(|steps| steps < LONG) {
        finding = finding.severity(Severity::Info);
    }
    if let Some(resumed) = resumed.filter(|_| ahead.is_some()) {
        finding = finding.with(resumed.fact, "resumed here");
    }
    if let Some(steps) = trainer.max_steps.fact() {
        finding = finding.with(steps, format!("{} steps", steps.value));
    }
    let repair = Repair::possible(checkpoints::order()).set(&"ckpt.interval", INTERVAL);
    let keep = ckpt.value.keep_last.key().filter(|_| ckpt.value.keep_last.is_empty());
    Some(finding.repair(match keep {
        Some(key) => repair.set(&format!("ckpt.{}", key.name()), KEPT),
        None => repair,
    }))
}
