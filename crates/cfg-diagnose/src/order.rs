//! Which finding says more than others: what only follows from another one comes after it.

use cfg_diag::Severity;

use crate::{Component, Finding};

/// The symptoms of rollouts that fail: most of them, or all.
pub(crate) const OF_ROLLOUTS: [&str; 2] = ["failed-rollouts", "no-rollout-succeeds"];

/// What follows from rollouts that fail.
const OF_FAILED_ROLLOUTS: [&str; 7] =
    ["empty-batches", "empty-batch-streak", "reward-zero", "reward-flat", "reward-collapsed", "no-signal", "truncated-answers"];

/// The place of a finding among others that are as bad: rollouts fail because something else did, and other things follow from them.
pub(crate) fn rank(finding: &Finding, has_server: bool) -> u8 {
    match &*finding.symptom.name {
        // The server says why.
        "uncaught-exception" if has_server && finding.sightings.iter().all(|seen| is_of_server(&seen.first.text)) => 1,
        name if OF_ROLLOUTS.contains(&name) => 1,
        name if OF_FAILED_ROLLOUTS.contains(&name) => 2,
        _ => 0,
    }
}

/// Whether an exception only says that the inference server did not answer, or that it failed.
pub(crate) fn is_of_server(text: &str) -> bool {
    const REPORTS: [&str; 8] = [
        "HTTPStatusError: Server error '5",
        "InternalServerError: ",
        "APIConnectionError",
        "httpx.ConnectError",
        "httpx.ReadError",
        "httpx.ReadTimeout",
        "RemoteProtocolError: ",
        "EngineDeadError: ",
    ];
    REPORTS.iter().any(|report| text.contains(report))
}

/// Whether the inference server says itself what failed.
pub(crate) fn has_server(findings: &[Finding]) -> bool {
    let errors = findings.iter().filter(|finding| finding.symptom.severity == Severity::Error && !finding.symptom.weak);
    let seen = errors.flat_map(|finding| &finding.sightings);
    seen.into_iter().any(|seen| seen.component == Component::Inference && !is_of_server(&seen.first.text))
}
