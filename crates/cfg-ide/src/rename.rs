//! A new name for an environment.

use cfg_diag::{Edit, Location, Span};
use cfg_syntax::{Table, Value, ValueKind};

use crate::{
    Analysis, Spot,
    place::{self, Step},
    spot,
};

/// What can be renamed at `offset`: the bytes of an environment's name or id, without its quotes.
pub fn renameable(analysis: &Analysis, offset: u32) -> Option<Span> {
    named(analysis, offset).map(|(_, _, span)| Span::new(span.start + 1, span.end - 1))
}

/// Edits that give an environment another name, or another id, wherever the text names it. `None` if there is none, or where the new
/// name is empty or has line breaks.
pub fn rename(analysis: &Analysis, offset: u32, new: &str) -> Option<Vec<Edit>> {
    let (key, old, _) = named(analysis, offset)?;
    if new.trim().is_empty() || new.contains(['\n', '\r']) {
        return None;
    }
    let mut spans: Vec<(Span, bool)> = Vec::new();
    references(&analysis.document.root, &mut Vec::new(), key, old, &mut spans);
    spans.sort_by_key(|(span, _)| *span);
    spans.dedup();
    let quoted = format!("\"{}\"", new.replace('\\', "\\\\").replace('"', "\\\""));
    let is_bare = new.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    let edit = |(span, is_key): (Span, bool)| Edit {
        location: Location::new(analysis.file, span),
        new_text: if is_key && is_bare { new.to_owned() } else { quoted.clone() },
    };
    Some(spans.into_iter().map(edit).collect())
}

/// The key (`name` or `id`), the value and its place, where `offset` stands on the name of an environment, or on a reference to one.
fn named(analysis: &Analysis, offset: u32) -> Option<(&'static str, &str, Span)> {
    let Spot::Value { path, span } = spot(&analysis.document, offset)? else { return None };
    let Value { kind: ValueKind::String(text), .. } = place::value(&analysis.document.root, &path)? else { return None };
    // Strings of several lines, or with escapes, are not worth the trouble.
    if analysis.text[span.range()].len() != text.len() + 2 {
        return None;
    }
    let keys: Vec<&str> = path.iter().filter_map(|step| if let Step::Key(key) = step { Some(&**key) } else { None }).collect();
    let key = match keys.last().copied() {
        Some("name") if is_environment(&keys) => "name",
        Some("id") if is_environment(&keys) => "id",
        _ => return None,
    };
    Some((key, text, span))
}

/// Whether the last of these keys is one of an environment.
fn is_environment(keys: &[&str]) -> bool {
    let above = keys.len().checked_sub(2).and_then(|at| keys.get(at));
    above.is_some_and(|above| matches!(*above, "env" | "environments" | "environment" | "taskset"))
}

/// Collects where `old` stands for an environment: at the same key of each environment, and, where it is a name, in tables and arrays
/// that speak of environments. The second of each pair tells whether it stands as a key.
fn references<'t>(table: &'t Table, keys: &mut Vec<&'t str>, key: &str, old: &str, spans: &mut Vec<(Span, bool)>) {
    for entry in &table.entries {
        let speaks_of_environments = keys.last().is_some_and(|above| above.contains("env"));
        if key == "name" && *entry.key.text == *old && speaks_of_environments && keys.last() != Some(&"env_vars") {
            spans.push((entry.key.span, true));
        }
        keys.push(&entry.key.text);
        value(&entry.value, keys, key, old, spans);
        keys.pop();
    }
}

fn value<'t>(of: &'t Value, keys: &mut Vec<&'t str>, key: &str, old: &str, spans: &mut Vec<(Span, bool)>) {
    match &of.kind {
        ValueKind::Table(inner) => references(inner, keys, key, old, spans),
        ValueKind::Array(items) => items.iter().for_each(|item| value(item, keys, key, old, spans)),
        ValueKind::String(text) if **text == *old => {
            let last = keys.last().copied().unwrap_or_default();
            let is_same = last == key && is_environment(keys);
            let is_reference = key == "name" && last.contains("env") && last != "env_version";
            if is_same || is_reference {
                spans.push((of.span, false));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use cfg_diag::Edit;

    use super::{rename, renameable};
    use crate::testing::with_cursor;

    #[test]
    fn a_name_changes_wherever_it_is_meant() {
        let (analysis, offset) = with_cursor(
            "[model]\nname = \"math\"\n[[orchestrator.env]]\nid = \"org/math\"\nname = \"ma^th\"\n[orchestrator.eval]\nenv_names = [\"math\", \"b\"]\n\
             [[orchestrator.eval.env]]\nname = \"math\"\n[orchestrator.env_ratios]\nmath = 0.5\n",
        );
        let edits = rename(&analysis, offset, "sums").expect("an environment");
        let new = cfg_check::apply(&analysis.text, edits.iter().collect::<Vec<&Edit>>()).expect("within the text");
        assert_eq!(
            new,
            "[model]\nname = \"math\"\n[[orchestrator.env]]\nid = \"org/math\"\nname = \"sums\"\n[orchestrator.eval]\nenv_names = [\"sums\", \"b\"]\n\
             [[orchestrator.eval.env]]\nname = \"sums\"\n[orchestrator.env_ratios]\nsums = 0.5\n"
        );
    }

    #[test]
    fn other_names_are_left_alone() {
        let (analysis, offset) = with_cursor("[model]\nname = \"ma^th\"\n");
        assert_eq!(renameable(&analysis, offset), None);
        let (analysis, offset) = with_cursor("[[orchestrator.env]]\nname = \"ma^th\"\n");
        assert!(renameable(&analysis, offset).is_some());
        assert_eq!(rename(&analysis, offset, " "), None);
        assert_eq!(rename(&analysis, offset, "a\nb"), None);
    }
}
