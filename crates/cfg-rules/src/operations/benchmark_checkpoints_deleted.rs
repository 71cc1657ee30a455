//! `keep_last` deletes the checkpoints with which a long run is compared, unless `keep_interval` keeps them.

use cfg_diag::codes;
use cfg_schema::{Behaviour, Kind};

use super::{BENCHMARK_STEPS, has_no_end, landmark, trainer_ckpt};
use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::BENCHMARK_CHECKPOINTS_DELETED,
    kinds: &[Kind::Rl, Kind::Trainer],
    versions: VersionRange::with(Behaviour::KeepInterval),
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let ckpt = trainer_ckpt(cx.plan)?;
    let keep = ckpt.keep_last.fact()?;
    let interval = ckpt.interval.get().filter(|interval| *interval > 0)?;
    let steps = &cx.plan.trainer.as_ref()?.max_steps;
    let is_long = steps.get().map_or_else(|| has_no_end(cx.plan), |steps| steps >= 2 * BENCHMARK_STEPS);
    let reach = interval.saturating_mul(keep.value);
    // A run that evaluates while training already has the benchmark.
    if cx.plan.eval().is_some() {
        return None;
    }
    if !ckpt.keep_interval.is_empty() || !is_long || reach >= BENCHMARK_STEPS || cx.is_trial() {
        return None;
    }
    let mark = landmark(interval);
    let message = format!(
        "only the last {reach} steps are kept: the checkpoint of step {mark} is deleted at step {}",
        mark.saturating_add(reach)
    );
    let mut finding = Finding::new(message)
        .on(keep)
        .label(format!("{} checkpoints, {interval} steps apart", keep.value))
        .help("add `keep_interval`, so that checkpoints remain to benchmark and to return to after a collapse");
    if let Some(steps) = steps.fact() {
        finding = finding.with(steps, format!("{} steps", steps.value));
    }
    let repair = Repair::possible(format!("keep every checkpoint whose step is a multiple of {mark}"));
    Some(finding.repair(repair.set(&format!("{}.keep_interval", keep.written_key().table()), mark)))
}
