//! Without `keep_last` every checkpoint is kept, each as large as the trainer's weights and optimizer, until the disk is full.

use cfg_diag::codes;
use cfg_schema::Kind;

use super::{is_long, landmark, steps_ahead, trainer_ckpt};
use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

/// This many checkpoints are rarely kept on purpose: for an 8B model with an adapter they are a terabyte.
const MANY: i64 = 20;

pub(crate) static RULE: Rule = Rule {
    code: &codes::CHECKPOINTS_PILE_UP,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Trainer],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let ckpt = trainer_ckpt(cx.plan)?;
    let interval = ckpt.interval.fact().filter(|interval| interval.value > 0)?;
    let keeps_all = ckpt.keep_last.is_empty() && ckpt.keep_interval.value().is_none() && ckpt.keep_interval.is_known();
    if !keeps_all || cx.is_trial() {
        return None;
    }
    let steps = &cx.plan.trainer.as_ref()?.max_steps;
    let count = steps_ahead(cx).map(|steps| steps / interval.value);
    // A run without an end and without logging is a trial.
    let are_many = count.map_or_else(|| is_long(cx), |count| count > MANY);
    if !steps.is_known() || !are_many {
        return None;
    }
    let keep = ckpt.keep_last.key()?;
    let message = match count {
        Some(count) => format!("{count} checkpoints are saved and none is deleted"),
        None => "checkpoints are saved forever and none is deleted".to_owned(),
    };
    let table = if interval.is_written() { interval.written_key().table() } else { "ckpt".to_owned() };
    let mut finding = Finding::new(message)
        .on(interval)
        .label(format!("one every {} steps", interval.value))
        .help(format!("set `{}`; a full disk ends the run while it saves", keep.name()));
    if let Some(steps) = steps.fact() {
        finding = finding.with(steps, format!("{} steps", steps.value));
    }
    let mut repair = Repair::possible("keep the last three, and one about every hundred steps")
        .set(&format!("{table}.{}", keep.name()), 3_i64);
    if ckpt.keep_interval.is_empty() {
        repair = repair.set(&format!("{table}.keep_interval"), landmark(interval.value));
    }
    Some(finding.repair(repair))
}
