//! A share of the GPU for vLLM that is out of range: 90 instead of 0.9.

use cfg_diag::codes;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::UTILIZATION_OUT_OF_RANGE,
    kinds: &[Kind::Rl, Kind::Inference],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

/// Numbers in this range are probably percentages.
const PERCENT: std::ops::RangeInclusive<f64> = 5.0..=100.0;

fn check(cx: &Context<'_>) -> Option<Finding> {
    let share = cx.plan.inference.as_ref()?.gpu_memory_utilization.fact().filter(|share| share.is_written())?;
    if share.value > 0.0 && share.value <= 1.0 {
        return None;
    }
    let key = share.written_key();
    let finding = Finding::new(format!(
        "`{}` must be above 0 and at most 1, a fraction of the GPU's memory, not \
            {}",
        key.name(),
        share.value
    ))
    .on(share);
    if !PERCENT.contains(&share.value) {
        return Some(finding.help("vLLM refuses to start with it; its default is 0.9"));
    }
    let meant = share.value / 100.0;
    let repair = Repair::possible(format!("set `{}` to {meant}", key.name())).set(key, meant);
    Some(finding.help(format!("vLLM refuses to start with it: write {meant} for {} %", share.value)).repair(repair))
}
