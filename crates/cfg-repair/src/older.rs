//! Faults that a text had before a repair, and that only show after it: what is below a key that prime-rl refuses was not checked before.

use std::{
    cell::OnceCell,
    collections::{HashMap, HashSet},
};

use cfg_diag::{Diagnostic, Edit, FileId, Fix, Order, Span, codes};
use cfg_syntax::{Dialect, Entry, Table, Value, ValueKind};

use crate::trial::is_of_rule;

/// A value of fewer bytes is found in any text.
const SHORTEST_VALUE: usize = 4;

/// What prime-rl says of a key whose value it does not read.
const REFUSED: [cfg_diag::Code; 3] = [&codes::UNKNOWN_KEY, &codes::MISPLACED_KEY, &codes::REMOVED_KEY];

/// A text before and after some repairs.
pub(crate) struct Attempt<'a> {
    before: &'a str,
    after: &'a str,
    /// The findings that are repaired, and how.
    fixes: &'a [(&'a Diagnostic, &'a Fix)],
    /// All findings before.
    found: &'a [Diagnostic],
    /// All edits, in the order of the text.
    edits: Vec<&'a Edit>,
    /// Read when a finding needs it: it takes as long as parsing the text.
    unchecked: OnceCell<Unchecked<'a>>,
}

impl<'a> Attempt<'a> {
    pub(crate) fn new(before: &'a str, after: &'a str, fixes: &'a [(&'a Diagnostic, &'a Fix)], found: &'a [Diagnostic]) -> Self {
        let mut edits: Vec<&Edit> = fixes.iter().flat_map(|(_, fix)| &fix.edits).collect();
        edits.order_by_key(|edit| edit.location.span);
        Self { before, after, fixes, found, edits, unchecked: OnceCell::new() }
    }

    /// Whether a finding of the repaired text is a fault of syntax behind a repaired one: such a fault ends its line, whose rest was not read.
    pub(crate) fn is_rest_of_line(&self, found: &Diagnostic) -> bool {
        let at = found.location.filter(|_| found.code == &codes::INVALID_TOML).map(|location| location.span.start);
        let Some(offset) = at.and_then(|at| offset_before(at, &self.edits)) else { return false };
        self.fixes.iter().any(|(repaired, _)| {
            let start = repaired.location.map(|location| location.span.start).filter(|start| *start < offset);
            let between = start.and_then(|start| self.before.get(start as usize..offset as usize));
            repaired.code == &codes::INVALID_TOML && between.is_some_and(|rest| !rest.contains('\n'))
        })
    }

    /// Whether a finding of the repaired text is about something that the text already had, at a key whose value was not checked there because of a
    /// finding that is repaired.
    pub(crate) fn is_older(&self, found: &Diagnostic) -> bool {
        let Some(at) = found.location.map(|location| location.span) else { return false };
        let repairs = |code| self.fixes.iter().any(|(repaired, _)| repaired.code == code);
        // Nothing of a file in another language was checked, or of one in the former format of hosted training.
        if repairs(&codes::UNSUPPORTED_FILE) || repairs(&codes::RETIRED_HOSTED_FORM) {
            return true;
        }
        // A value that its key did not take was not compared with others, and a variant that there is not has no required keys.
        let was_unchecked = |(repaired, _): &(&Diagnostic, &Fix)| match (repaired.key.as_deref(), found.key.as_deref()) {
            (Some(repaired_key), Some(key)) if repaired.code == &codes::UNPARSABLE_VALUE => repaired_key == key,
            // Nothing in a table was checked that was written where something else is needed.
            (Some(repaired_key), Some(key)) if repaired.code == &codes::WRONG_TYPE => {
                key.strip_prefix(repaired_key).is_some_and(|rest| rest.starts_with(['.', '[']))
            }
            (Some(table), Some(key)) if repaired.code == &codes::UNKNOWN_VARIANT && found.code == &codes::MISSING_KEY => {
                let table = table.strip_suffix(".type").unwrap_or(table);
                key.strip_prefix(table).is_some_and(|rest| rest.starts_with('.'))
            }
            _ => false,
        };
        if self.fixes.iter().any(was_unchecked) {
            return true;
        }
        // Nor has a table required keys that prime-rl did not read.
        let is_below = |refused: &Diagnostic| {
            let key = found.key.as_deref().unwrap_or_default();
            let mut places = refused.key.iter().chain(&refused.choices);
            REFUSED.contains(&refused.code)
                && places.any(|place| key.strip_prefix(&**place).is_some_and(|rest| rest.starts_with('.')))
        };
        if found.code == &codes::MISSING_KEY && self.found.iter().any(is_below) {
            return true;
        }
        let unchanged = offset_before(at.start, &self.edits);
        let text = self.after.get(at.range()).filter(|text| !text.is_empty());
        // Rules are about configs that prime-rl can read.
        let is_of_rule = is_of_rule(found.code.code);
        if unchanged.is_some() && is_of_rule && (repairs(&codes::INVALID_TOML) || repairs(&codes::DUPLICATE_KEY)) {
            return true;
        }
        if self.is_rest_of_line(found) {
            return true;
        }
        // What is below a header that TOML refuses was no part of the config.
        if unchanged.is_some() && repairs(&codes::KEY_CONFLICT) {
            return true;
        }
        // A value that was not TOML had no type.
        let is_new_value = unchanged.is_none() && matches!(text, Some("true" | "false"));
        if is_new_value && found.code == &codes::WRONG_TYPE && repairs(&codes::INVALID_TOML) {
            return true;
        }
        // Nor was a key read that was not one word.
        if unchanged.is_none() && repairs(&codes::INVALID_TOML) && REFUSED.contains(&found.code) {
            return text.is_some_and(|text| !text.starts_with(['"', '\'']));
        }
        let unchecked = self.unchecked.get_or_init(|| Unchecked::new(self.before, self.fixes, self.found));
        match unchanged {
            Some(offset) => unchecked.contains(offset),
            // A key that moves takes its value with it; a rule did not see it where prime-rl refused its form.
            None => text.is_some_and(|text| {
                let plain = text.trim_matches(['"', '\'']);
                unchecked.values.contains(text) || is_of_rule && plain.len() >= SHORTEST_VALUE && self.before.contains(plain)
            }),
        }
    }
}

/// What of a text was not checked because of some findings: the values of their keys, or the tables whose classes they leave unknown.
struct Unchecked<'a> {
    /// The ranges of bytes, in their order, apart from each other.
    ranges: Vec<Span>,
    /// The texts of all keys and values in them.
    values: HashSet<&'a str>,
}

impl<'a> Unchecked<'a> {
    fn new(text: &'a str, fixes: &[(&Diagnostic, &Fix)], found: &[Diagnostic]) -> Self {
        let (document, _) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
        // What is below another refused key is read once a repair makes prime-rl take that.
        let refused = found.iter().filter(|found| REFUSED.contains(&found.code));
        // Whether one of the findings at a place is about a tag.
        let mut places: HashMap<Span, bool> = HashMap::new();
        for repaired in fixes.iter().map(|(repaired, _)| *repaired).chain(refused) {
            if let Some(location) = repaired.location {
                *places.entry(location.span).or_default() |= repaired.code == &codes::UNKNOWN_VARIANT;
            }
        }
        let mut parts: Vec<Span> = Vec::new();
        find(&document.root, &mut places, &mut parts);
        parts.sort_unstable();
        let mut ranges: Vec<Span> = Vec::new();
        for span in &parts {
            match ranges.last_mut().filter(|last| span.start <= last.end) {
                Some(last) => last.end = last.end.max(span.end),
                None => ranges.push(*span),
            }
        }
        let values = parts.iter().filter_map(|part| text.get(part.range())).collect();
        Self { ranges, values }
    }

    fn contains(&self, offset: u32) -> bool {
        let next = self.ranges.partition_point(|range| range.start <= offset);
        next.checked_sub(1).and_then(|last| self.ranges.get(last)).is_some_and(|range| offset < range.end)
    }
}

/// Collects the keys and values that were not checked below the entries whose key or value is at one of the places, each of which counts once.
fn find(table: &Table, places: &mut HashMap<Span, bool>, parts: &mut Vec<Span>) {
    for entry in &table.entries {
        if places.is_empty() {
            return;
        }
        let found = [entry.key.span, entry.value.span].map(|span| places.remove(&span));
        for is_tag in found.into_iter().flatten() {
            if is_tag {
                table.entries.iter().for_each(|entry| collect(entry, parts));
            } else {
                collect_value(&entry.value, parts);
            }
        }
        find_in(&entry.value, places, parts);
    }
}

fn find_in(value: &Value, places: &mut HashMap<Span, bool>, parts: &mut Vec<Span>) {
    match &value.kind {
        ValueKind::Table(table) => find(table, places, parts),
        ValueKind::Array(items) => items.iter().for_each(|item| find_in(item, places, parts)),
        _ => {}
    }
}

fn collect(entry: &Entry, parts: &mut Vec<Span>) {
    parts.push(entry.key.span);
    collect_value(&entry.value, parts);
}

fn collect_value(value: &Value, parts: &mut Vec<Span>) {
    parts.push(value.span);
    match &value.kind {
        ValueKind::Table(table) => table.entries.iter().for_each(|entry| collect(entry, parts)),
        ValueKind::Array(items) => items.iter().for_each(|item| collect_value(item, parts)),
        _ => {}
    }
}

/// The offset in the text before the edits, which are in its order, of an offset after them; `None` if an edit has written what is there.
fn offset_before(after: u32, edits: &[&Edit]) -> Option<u32> {
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
        let edits: Vec<&Edit> = edits.iter().collect();
        let before = |after| offset_before(after, &edits);
        assert_eq!([0, 1, 3, 4, 6, 7].map(before), [Some(0), None, None, Some(3), Some(5), None]);
    }
}
