//! Only saved steps can be kept: a `keep_interval` that is not a multiple of `interval` keeps fewer than expected.

use cfg_diag::codes;
use cfg_schema::{Behaviour, Kind};

use super::{common_multiple, trainer_ckpt};
use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::KEEP_INTERVAL_BETWEEN_SAVES,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Trainer],
    versions: VersionRange::with(Behaviour::KeepInterval),
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let ckpt = trainer_ckpt(cx.plan)?;
    let keep = ckpt.keep_interval.fact().filter(|keep| keep.value > 0)?;
    let interval = ckpt.interval.fact().filter(|interval| interval.value > 0)?;
    // A smaller one keeps the multiples of both; if it divides the interval, that is probably intended.
    if keep.value % interval.value == 0 || interval.value % keep.value == 0 {
        return None;
    }
    let steps = cx.plan.trainer.as_ref()?.max_steps.get();
    let both = common_multiple(interval.value, keep.value);
    let kept = match (both, steps) {
        (Some(both), Some(steps)) if both > steps => format!("none of these {steps} steps is a multiple of both"),
        (Some(both), _) => format!("only multiples of {both} are kept"),
        (None, _) => return None,
    };
    let message = format!("`keep_interval` is {}, but checkpoints are saved every {} steps: {kept}", keep.value, interval.value);
    let mark = interval.value.saturating_mul(1 + (keep.value - 1) / interval.value);
    let repair = Repair::possible(format!("keep multiples of {mark}")).set(keep.written_key(), mark);
    let help = format!("make `keep_interval` a multiple of `interval`, such as {mark}");
    Some(Finding::new(message).on(keep).with(interval, format!("saved every {} steps", interval.value)).help(help).repair(repair))
}
