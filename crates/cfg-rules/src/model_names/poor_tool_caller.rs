//! Models that have been observed to call no tools in cases where others did.

use cfg_diag::codes;
use cfg_schema::Kind;

use crate::{
    Check, Context, Finding, FixKind, Rule, VersionRange, catalogue,
    tool_use::{answering_model, tool_environment},
};

pub(crate) static RULE: Rule = Rule {
    code: &codes::POOR_TOOL_CALLER,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let name = answering_model(cx)?;
    let caller = catalogue::caller(&name.value)?;
    let (environment, _) = tool_environment(cx)?;
    let finding = Finding::new(format!("{} is known to fail with tools: {}", name.value, caller.trouble)).on(name);
    let finding = match environment.location {
        Some(location) => finding.related(location, "an environment with tools"),
        None => finding,
    };
    Some(finding.help(format!("check a few rollouts first (as of {}: {})", caller.evidence.confirmed, caller.evidence.source)))
}
