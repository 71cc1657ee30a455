//! `keep_interval` alone deletes every checkpoint that is not a multiple of it, including the one just saved and the final one.

use cfg_diag::{Severity, codes};
use cfg_schema::{Behaviour, Kind};

use super::{common_multiple, trainer_ckpt};
use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::NEWEST_CHECKPOINT_DELETED,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Trainer],
    versions: VersionRange::with(Behaviour::KeepInterval),
    fix: FixKind::Safe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let ckpt = trainer_ckpt(cx.plan)?;
    let every = ckpt.keep_interval.fact().filter(|every| every.value > 0)?;
    let steps = &cx.plan.trainer.as_ref()?.max_steps;
    if !ckpt.keep_last.is_empty() || !ckpt.interval.is_known() || !steps.is_known() || cx.is_trial() {
        return None;
    }
    let is_kept = |step: i64| step % every.value == 0;
    let final_is_lost = steps.get().is_some_and(|last| last > 0 && !is_kept(last));
    let interval = ckpt.interval.fact().filter(|interval| interval.value > 0);
    let message = match (interval, steps.get()) {
        (Some(interval), _) if !is_kept(interval.value) => format!(
            "every checkpoint whose step is not a multiple of {} is deleted as soon as it is saved, even the newest{}",
            every.value,
            if final_is_lost { "and the final one" } else { "" }
        ),
        (_, Some(last)) if final_is_lost => {
            format!(
                "the final checkpoint, of step {last}, is deleted as soon as it is saved: it is not a multiple of {}",
                every.value
            )
        }
        _ => return None,
    };
    // If no saved step is a multiple, no checkpoint remains.
    let first_kept =
        |interval: i64| common_multiple(interval, every.value).filter(|first| steps.get().is_some_and(|last| *first <= last));
    let leaves_nothing = final_is_lost && interval.is_none_or(|interval| first_kept(interval.value).is_none());
    let mut finding =
        Finding::new(message).on(every).help("add `keep_last = 1`: without it only multiples of `keep_interval` are kept");
    if let Some(interval) = interval {
        finding = finding.with(interval, format!("saved every {} steps", interval.value));
    }
    if leaves_nothing {
        finding = finding.severity(Severity::Error);
    }
    let repair = Repair::safe("keep the newest checkpoint too");
    Some(finding.repair(repair.set(&format!("{}.keep_last", every.written_key().table()), 1_i64)))
}
