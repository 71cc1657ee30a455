//! A loss mask without any role: the trainer skips every example, and looks for the first batch forever.

use cfg_diag::{Severity, codes};
use cfg_resolve::{ResolvedValue, View};
use cfg_schema::Kind;

use super::datasets;
use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::NO_TRAINED_ROLE,
    kinds: &[Kind::Sft],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

/// The roles of a chat, each with its switch. Only that of the assistant is on by default.
const ROLES: [&str; 4] = ["loss_mask.assistant", "loss_mask.user", "loss_mask.system", "loss_mask.tool"];

fn check(cx: &Context<'_>) -> Vec<Finding> {
    datasets(cx).filter(|(_, data)| trains_nothing(data)).map(|(path, data)| finding(path, &data)).collect()
}

fn trains_nothing(data: &View<'_>) -> bool {
    let is_off = |role: &&str| data.get(role).is_some_and(|value| matches!(value.value, ResolvedValue::Bool(false)));
    ROLES.iter().all(is_off)
}

fn finding(path: &str, data: &View<'_>) -> Finding {
    let (what, severity) = if path == "data" {
        ("every example is skipped, and the first step waits for a batch forever", Severity::Error)
    } else {
        ("every example is skipped, and the validation has no loss", Severity::Warning)
    };
    let finding = Finding::new(format!("`{path}.loss_mask` turns all roles off: {what}"))
        .key(format!("{path}.{}", ROLES[0]))
        .severity(severity)
        .help("write `assistant = true`, or turn another role on");
    match data.location(ROLES[0]) {
        Some(location) => finding.at(location).label("the only role that is on by default"),
        None => finding,
    }
}
