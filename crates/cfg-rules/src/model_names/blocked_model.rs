//! Models that some versions can't load, or can't continue with.

use cfg_diag::codes;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange, catalogue};

pub(crate) static RULE: Rule = Rule {
    code: &codes::BLOCKED_MODEL,
    kinds: &[Kind::Rl, Kind::Trainer, Kind::Sft],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let name = super::trained(cx)?;
    let blocker = catalogue::blocker(&name.value, cx.target.point)?;
    // The others fail in the inference server.
    if cx.plan.is_sft() && !blocker.is_unknown {
        return None;
    }
    let finding = Finding::new(format!("{} does not run: {}", name.value, blocker.symptom)).severity(blocker.severity).on(name);
    Some(finding.help(format!("{} (as of {}: {})", blocker.help, blocker.evidence.confirmed, blocker.evidence.source)))
}
