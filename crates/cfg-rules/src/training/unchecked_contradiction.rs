//! What only a later prime-rl refuses when it reads the config, and what fails at run time before.

use cfg_diag::{Severity, codes};
use cfg_resolve::Contradiction;
use cfg_schema::{Effect, Kind};

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::UNCHECKED_CONTRADICTION,
    kinds: &[Kind::Rl, Kind::Trainer, Kind::Orchestrator, Kind::Inference, Kind::Sft],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    cfg_resolve::unchecked(cx.view).into_iter().map(|found| finding(cx, found)).collect()
}

fn finding(cx: &Context<'_>, found: Contradiction) -> Finding {
    let Contradiction { message, says, effect, ends, help } = found;
    let mut finding = Finding::new(format!("{message}; no check of {} refuses it, and {says}", cx.target.name));
    let mut notes = Vec::new();
    let mut is_placed = false;
    for end in ends {
        match end.location {
            Some(location) if !is_placed => {
                finding = finding.key(end.key).at(location).label(end.said);
                is_placed = true;
            }
            Some(location) => finding = finding.related(location, end.said),
            None => notes.push(end.said),
        }
    }
    notes.extend(help);
    let severity = if effect == Effect::Fails { Severity::Error } else { Severity::Warning };
    finding.severity(severity).help(notes.join("; "))
}
