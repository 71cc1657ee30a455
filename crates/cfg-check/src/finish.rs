//! The end of each check: the verdict, and the findings in their order.

use cfg_diag::{Diagnostic, Order, codes};

use crate::{Checked, Verdict, checked::needs_environment, order};

/// Determines the verdict from the findings, removes those that comments ignore, and sorts the others in the order in which prime-rl meets them.
pub(crate) fn finish(
    mut checked: Checked,
    mut diagnostics: Vec<Diagnostic>,
    suppress: impl FnOnce(&mut Vec<Diagnostic>) -> usize,
) -> Checked {
    let is_conflict = diagnostics.iter().any(|found| found.code == &codes::MERGE_CONFLICT);
    if is_conflict {
        // What else is wrong depends on the side that is kept.
        diagnostics.retain(|found| found.code == &codes::MERGE_CONFLICT);
        checked.resolved = None;
    }
    if diagnostics.iter().any(Diagnostic::is_refusal) || !checked.is_config {
        checked.verdict = Verdict::Rejected;
    }
    // What is not read, or not checked because it would take too much, may be refused.
    let is_unread = diagnostics.iter().any(|found| found.code == &codes::UNREADABLE_FILE);
    if checked.verdict == Verdict::Ok && (is_unread || checked.is_unknown() || checked.is_open || checked.is_for_another()) {
        checked.verdict = Verdict::Depends;
    }
    if checked.verdict == Verdict::Ok && diagnostics.iter().any(|diagnostic| diagnostic.code == &codes::CHANGED_CHECK) {
        checked.verdict = Verdict::Depends;
    }
    if checked.verdict == Verdict::Ok && diagnostics.iter().any(|diagnostic| diagnostic.code == &codes::PLUGIN_DECIDES) {
        checked.verdict = Verdict::Depends;
        checked.is_left_to_others = true;
    }
    checked.undecided = undecided(&diagnostics);
    checked.ignored = if is_conflict { 0 } else { suppress(&mut diagnostics) };
    // prime-rl accepts it, and a run of it alone fails.
    if checked.verdict == Verdict::Ok && diagnostics.iter().any(needs_environment) {
        checked.verdict = Verdict::Depends;
        checked.is_left_to_others = true;
    }
    diagnostics.order_by_key(order::of);
    checked.diagnostics = diagnostics;
    checked
}

/// Why it is unknown whether prime-rl accepts the config, without duplicates.
fn undecided(diagnostics: &[Diagnostic]) -> Vec<String> {
    let mut reasons: Vec<String> = Vec::new();
    for found in diagnostics.iter().filter(|found| found.is_open()) {
        if !reasons.contains(&found.message) {
            reasons.push(found.message.clone());
        }
    }
    reasons
}
