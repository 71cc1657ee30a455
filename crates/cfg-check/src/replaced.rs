//! The fix for a value that prime-rl replaces: removing its key, if that changes no value.

use std::fmt::Write as _;

use cfg_compose::Tree;
use cfg_diag::{Applicability, Diagnostic, Fix, Severity, codes};
use cfg_resolve::{ResolvedTable, changed_keys, dump};
use cfg_schema::Kind;
use cfg_syntax::rewrite::{Change, Rewriter};
use serde_json::Value as Json;

use crate::{Checked, Session, apply, rules::Source, stage};

/// The maximum number of fixes that are computed for one text, because each needs another check of the whole config. The next run after these are
/// applied finds the rest.
const MAX_FIXES: usize = 16;

/// Adds the fix to each such finding of a text, whose values are `resolved`.
pub(crate) fn offer(
    session: &Session,
    checked: &Checked,
    kind: Kind,
    resolved: &ResolvedTable,
    source: &Source<'_>,
    diagnostics: &mut [Diagnostic],
) {
    // What the launch command may keep is only said, and stays.
    let is_meant =
        |found: &&mut Diagnostic| found.code == &codes::REPLACED_VALUE && found.severity != Severity::Info && found.fix.is_none();
    let mut meant = diagnostics.iter_mut().filter(is_meant).take(MAX_FIXES).peekable();
    if meant.peek().is_none() {
        return;
    }
    let Some(rewriter) = Rewriter::new(source.file, source.text, source.dialect) else { return };
    let point = checked.target.point;
    let values_of = |text: &str| {
        let (document, faults) = cfg_syntax::parse(source.file, text, source.dialect);
        let tree = Tree::from_document(source.file, document);
        faults.is_empty().then(|| stage::reread(session, checked, kind, tree)).flatten()
    };
    let first_difference = |other: &ResolvedTable| {
        let is_same = changed_keys(resolved, point, other, point).is_empty();
        if is_same { None } else { difference(&dump(resolved, point), &dump(other, point)) }
    };
    for diagnostic in meant {
        let Some(key) = diagnostic.key.as_deref() else { continue };
        // All keys of a variant are removed together with the key that selects it.
        let key = key.strip_suffix(".type").filter(|table| table.contains('.')).unwrap_or(key);
        let Some(edits) = rewriter.edits(&[Change::remove(key)]).ok().filter(|edits| !edits.is_empty()) else { continue };
        let Some(without) = apply(source.text, &edits).and_then(|text| values_of(&text)) else { continue };
        match (first_difference(&without), &mut diagnostic.help) {
            (None, _) => {
                let title = format!("remove `{key}`");
                diagnostic.fix = Some(Fix::new(title, Applicability::Safe, edits));
            }
            (Some(other), Some(help)) => {
                let _ = write!(help, "; until then `{other}` follows from it");
            }
            (Some(_), None) => {}
        }
    }
}

/// The first key whose value differs between two configs; `None` if they are equal.
fn difference(one: &Json, other: &Json) -> Option<String> {
    match (one, other) {
        _ if one == other => None,
        (Json::Object(one), Json::Object(other)) => {
            let keys = one.keys().chain(other.keys().filter(|key| !one.contains_key(*key)));
            keys.into_iter().find_map(|key| {
                let below = difference(one.get(key).unwrap_or(&Json::Null), other.get(key).unwrap_or(&Json::Null))?;
                Some(if below.is_empty() { key.clone() } else { format!("{key}.{below}") })
            })
        }
        _ => Some(String::new()),
    }
}
