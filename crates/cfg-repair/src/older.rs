//! Faults that a text had before a repair, and that only show after it: what is below a key that prime-rl refuses was not checked before.

use cfg_diag::{Diagnostic, Edit, FileId, Fix, Span, codes};
use cfg_syntax::{Dialect, Entry, Table, Value, ValueKind};

/// Whether a finding of the repaired text `after` is about something that the text `before` already contains, at a key whose value was not checked
/// there because of the finding that is repaired.
pub(crate) fn is_older(found: &Diagnostic, (before, after): (&str, &str), fixes: &[(&Diagnostic, &Fix)]) -> bool {
    let Some(at) = found.location.map(|location| location.span) else { return false };
    let (document, _) = cfg_syntax::parse(FileId(0), before, Dialect::Toml11);
    let edits: Vec<&Edit> = fixes.iter().flat_map(|(_, fix)| &fix.edits).collect();
    let unchanged = offset_before(at.start, edits);
    let text = after.get(at.range()).filter(|text| !text.is_empty());
    // Nothing of a file in another language was checked.
    if fixes.iter().any(|(repaired, _)| repaired.code == &codes::UNSUPPORTED_FILE) {
        return true;
    }
    // A value that was not TOML had no type.
    let is_new_value = unchanged.is_none() && matches!(text, Some("true" | "false"));
    if is_new_value && found.code == &codes::WRONG_TYPE && fixes.iter().any(|(repaired, _)| repaired.code == &codes::INVALID_TOML)
    {
        return true;
    }
    fixes.iter().any(|(repaired, _)| {
        let Some(unchecked) = repaired.location.and_then(|location| unchecked(&document.root, repaired, location.span)) else {
            return false;
        };
        match unchanged {
            Some(offset) => unchecked.iter().any(|part| part.contains(offset)),
            // A key that moves takes its value with it.
            None => {
                text.is_some_and(|text| unchecked.iter().any(|part| part.is_value && before.get(part.span.range()) == Some(text)))
            }
        }
    })
}

/// A part of a text whose content was not checked.
struct Part {
    span: Span,
    is_value: bool,
}

impl Part {
    fn contains(&self, offset: u32) -> bool {
        self.span.start <= offset && offset < self.span.end
    }
}

/// What was not checked because of a finding at `at`: the value of its key, or the table whose class it leaves unknown.
fn unchecked(root: &Table, found: &Diagnostic, at: Span) -> Option<Vec<Part>> {
    let is_tag = found.code == &codes::UNKNOWN_VARIANT;
    let mut parts = Vec::new();
    find(root, at, &mut |table, entry| {
        if is_tag {
            table.entries.iter().for_each(|entry| collect(entry, &mut parts));
        } else {
            collect_value(&entry.value, &mut parts);
        }
    })
    .then_some(parts)
}

/// Calls `with` with the entry whose key or value is at `at`, and its table; `false` if there is none.
fn find(table: &Table, at: Span, with: &mut dyn FnMut(&Table, &Entry)) -> bool {
    table.entries.iter().any(|entry| {
        if entry.key.span == at || entry.value.span == at {
            with(table, entry);
            return true;
        }
        find_in(&entry.value, at, with)
    })
}

fn find_in(value: &Value, at: Span, with: &mut dyn FnMut(&Table, &Entry)) -> bool {
    match &value.kind {
        ValueKind::Table(table) => find(table, at, with),
        ValueKind::Array(items) => items.iter().any(|item| find_in(item, at, with)),
        _ => false,
    }
}

fn collect(entry: &Entry, parts: &mut Vec<Part>) {
    parts.push(Part { span: entry.key.span, is_value: false });
    collect_value(&entry.value, parts);
}

fn collect_value(value: &Value, parts: &mut Vec<Part>) {
    parts.push(Part { span: value.span, is_value: true });
    match &value.kind {
        ValueKind::Table(table) => table.entries.iter().for_each(|entry| collect(entry, parts)),
        ValueKind::Array(items) => items.iter().for_each(|item| collect_value(item, parts)),
        _ => {}
    }
}

/// The offset in the text before the edits of an offset after them; `None` if an edit has written what is there.
fn offset_before(after: u32, mut edits: Vec<&Edit>) -> Option<u32> {
    edits.sort_by_key(|edit| edit.location.span);
    // How far the text is behind: what was added, and what was removed.
    let (mut added, mut removed) = (0, 0);
    for edit in edits {
        let (span, length) = (edit.location.span, u32::try_from(edit.new_text.len()).ok()?);
        let start = span.start + added - removed;
        if after < start {
            break;
        }
        if after < start + length {
            return None;
        }
        added += length;
        removed += span.end - span.start;
    }
    Some(after + removed - added)
}

#[cfg(test)]
mod tests {
    use cfg_diag::{Edit, FileId, Location, Span};

    use super::offset_before;

    #[test]
    fn an_offset_is_found_in_the_text_before() {
        let edit = |range: std::ops::Range<usize>, text: &str| Edit {
            location: Location::new(FileId(0), Span::from(range)),
            new_text: text.to_owned(),
        };
        // "abcdef" becomes "aXYZdef!".
        let edits = [edit(1..3, "XYZ"), edit(6..6, "!")];
        let before = |after| offset_before(after, edits.iter().collect());
        assert_eq!([0, 1, 3, 4, 6, 7].map(before), [Some(0), None, None, Some(3), Some(5), None]);
    }
}
