//! What can be done about a finding.

use cfg_diag::{Applicability, Diagnostic, Edit, Fix, Span};

use crate::Analysis;

/// Something that an editor can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// What it does, as an order.
    pub title: String,
    /// Whether it is the obvious thing to do.
    pub is_preferred: bool,
    /// The finding that it repairs: its place in the list of the analysis.
    pub diagnostic: Option<usize>,
    /// The edits, which do not overlap.
    pub edits: Vec<Edit>,
}

/// The repairs of the findings that touch `span`.
pub fn actions(analysis: &Analysis, span: Span) -> Vec<Action> {
    let mut actions = Vec::new();
    for (index, diagnostic) in analysis.checked.diagnostics.iter().enumerate() {
        let Some(location) = diagnostic.location else { continue };
        if location.span.end < span.start || span.end < location.span.start {
            continue;
        }
        if let Some(fix) = &diagnostic.fix {
            actions.push(action(fix, index));
        }
    }
    actions
}

fn action(fix: &Fix, index: usize) -> Action {
    Action {
        title: fix.title.clone(),
        is_preferred: fix.applicability == Applicability::Safe,
        diagnostic: Some(index),
        edits: fix.edits.clone(),
    }
}

/// All safe repairs that do not touch each other, as one action; nothing where there are fewer than one.
pub fn fix_all(analysis: &Analysis) -> Option<Action> {
    let safe = |diagnostic: &Diagnostic| diagnostic.fix.clone().filter(|fix| fix.applicability == Applicability::Safe);
    let mut edits: Vec<Edit> = Vec::new();
    let mut count = 0;
    for fix in analysis.checked.diagnostics.iter().filter(|diagnostic| !diagnostic.is_echo).filter_map(safe) {
        let overlaps = |edit: &Edit| {
            edits.iter().any(|other| {
                let (one, other) = (edit.location.span, other.location.span);
                one.start <= other.end && other.start <= one.end
            })
        };
        if !fix.edits.iter().any(overlaps) {
            edits.extend(fix.edits);
            count += 1;
        }
    }
    edits.sort_by_key(|edit| edit.location.span);
    let title = match count {
        0 => return None,
        1 => "repair what is certain (1 finding)".to_owned(),
        count => format!("repair what is certain ({count} findings)"),
    };
    Some(Action { title, is_preferred: false, diagnostic: None, edits })
}
