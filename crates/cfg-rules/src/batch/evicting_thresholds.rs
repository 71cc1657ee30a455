//! A problem whose mean reward reaches one of the buffer's thresholds is removed permanently. If no possible mean except 0 and 1 is between
//! them, a problem is either removed after its first use or teaches nothing.

use cfg_diag::codes;
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::EVICTING_THRESHOLDS,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::with(Behaviour::DifficultyThresholds),
    fix: FixKind::None,
    check: Check::Once(check),
};

/// Larger groups are not checked: with so many rollouts, some mean falls between any thresholds that are used in practice.
const LARGEST_GROUP: i64 = 1024;

fn check(cx: &Context<'_>) -> Option<Finding> {
    let orchestrator = cx.plan.orchestrator.as_ref()?;
    let buffer = orchestrator.buffer.value()?;
    let (easy, hard) = (buffer.easy_threshold.fact(), buffer.hard_threshold.fact());
    let named = easy.or(hard)?;
    let group = orchestrator.batch.group_size.fact().filter(|group| (2..=LARGEST_GROUP).contains(&group.value))?;
    let (above, below) = (hard.map_or(f64::NEG_INFINITY, |hard| hard.value), easy.map_or(f64::INFINITY, |easy| easy.value));
    #[expect(clippy::cast_precision_loss, reason = "both are small")]
    let mean = |right: i64| right as f64 / group.value as f64;
    if (1..group.value).map(mean).any(|mean| mean > above && mean < below) {
        return None;
    }
    let bounds = match (easy, hard) {
        (Some(easy), Some(hard)) => format!("{} or above is easy, {} or below is hard", easy.value, hard.value),
        (Some(easy), None) => format!("{} or above is easy", easy.value),
        _ => format!("{above} or below is hard"),
    };
    let message = format!(
        "a mean reward of {bounds}: with {} right-or-wrong rollouts no mean falls in between, so every problem worth learning \
         from is set aside after its first use",
        group.value
    );
    let mut finding = Finding::new(message).on(named);
    if let Some(hard) = hard.filter(|_| easy.is_some()) {
        finding = finding.with(hard, "hard at or below this");
    }
    finding = finding.with(group, format!("{} rollouts of a problem", group.value));
    Some(finding.help("move the thresholds apart (for example 0.9 and 0.1), or use larger groups"))
}
