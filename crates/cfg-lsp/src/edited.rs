//! A text that an editor changes range by range.
//!
//! Each range is one of the text that the changes before it have made. Editors send those of many cursors from the end of the text to its beginning, where
//! no change moves the range of a later one: such changes are collected, and made in one pass over the text.

use std::{borrow::Cow, ops::Range};

use cfg_diag::{LineColumn, LineIndex, PositionEncoding};

use crate::state::Change;

/// A text with changes.
pub(crate) struct Edited<'l> {
    text: String,
    encoding: PositionEncoding,
    /// The lines of `text`, once they are needed.
    lines: Option<Cow<'l, LineIndex>>,
    /// Changes that `text` doesn't have yet, from its end to its beginning.
    pending: Vec<Pending>,
}

struct Pending {
    range: Range<usize>,
    /// Where the range begins.
    at: LineColumn,
    text: String,
}

impl<'l> Edited<'l> {
    /// A text without changes, with its lines if they are known.
    pub(crate) fn new(text: String, encoding: PositionEncoding, lines: Option<&'l LineIndex>) -> Self {
        Self { text, encoding, lines: lines.map(Cow::Borrowed), pending: Vec::new() }
    }

    /// Makes a change.
    pub(crate) fn take(&mut self, change: Change) {
        let Some((from, to)) = change.range else {
            (self.text, self.lines) = (change.text, None);
            self.pending.clear();
            return;
        };
        if !self.is_before_pending(from.max(to)) {
            self.settle();
        }
        let lines = self.lines.get_or_insert_with(|| Cow::Owned(LineIndex::new(&self.text)));
        let offset = |position| lines.offset(&self.text, position, self.encoding) as usize;
        let start = offset(from);
        let range = start..offset(to).max(start);
        let at = lines.line_column(&self.text, start as u32, self.encoding);
        self.pending.push(Pending { range, at, text: change.text });
    }

    /// Whether a position means the same with and without the pending changes.
    fn is_before_pending(&self, position: LineColumn) -> bool {
        let (Some(Pending { at, range, .. }), Some(lines)) = (self.pending.last(), &self.lines) else { return true };
        // A column beyond the end of a line, without its `\r`, stands for that end.
        let is_exact = || {
            let offset = lines.offset(&self.text, position, self.encoding);
            lines.line_column(&self.text, offset, self.encoding) == position
        };
        let ends_line = self.text[..range.start].ends_with('\r');
        position.line < at.line || position <= *at && !ends_line && is_exact()
    }

    /// Makes the pending changes.
    fn settle(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let added: usize = self.pending.iter().map(|pending| pending.text.len()).sum();
        let mut text = String::with_capacity(self.text.len() + added);
        let mut from = 0;
        for Pending { range, text: new, .. } in self.pending.drain(..).rev() {
            text.push_str(&self.text[from..range.start]);
            text.push_str(&new);
            from = range.end;
        }
        text.push_str(&self.text[from..]);
        (self.text, self.lines) = (text, None);
    }

    /// The text with all changes.
    pub(crate) fn into_text(mut self) -> String {
        self.settle();
        self.text
    }
}

#[cfg(test)]
mod tests {
    use cfg_diag::{LineColumn, LineIndex, PositionEncoding};
    use proptest::prelude::*;

    use super::Edited;
    use crate::state::Change;

    fn change(from: (u32, u32), to: (u32, u32), text: &str) -> Change {
        let at = |(line, column)| LineColumn { line, column };
        Change { range: Some((at(from), at(to))), text: text.to_owned() }
    }

    /// One change after the other, each in the whole text.
    fn one_by_one(text: &str, changes: &[Change], encoding: PositionEncoding) -> String {
        let mut text = text.to_owned();
        for change in changes {
            let (from, to) = change.range.expect("a range");
            let lines = LineIndex::new(&text);
            let start = lines.offset(&text, from, encoding) as usize;
            let end = lines.offset(&text, to, encoding) as usize;
            text.replace_range(start..end.max(start), &change.text);
        }
        text
    }

    fn all(text: &str, changes: &[Change], encoding: PositionEncoding) -> String {
        let mut edited = Edited::new(text.to_owned(), encoding, None);
        changes.iter().for_each(|change| edited.take(change.clone()));
        edited.into_text()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

        #[test]
        fn changes_made_together_are_those_made_one_by_one(
            text in "[a\n\ré𝄞]{0,12}",
            changes in prop::collection::vec(((0_u32..4, 0_u32..5), (0_u32..4, 0_u32..5), "[b\n\ré]{0,3}"), 0..6),
            is_sorted in any::<bool>(),
        ) {
            let mut changes: Vec<Change> = changes.iter().map(|(from, to, text)| change(*from, *to, text)).collect();
            if is_sorted {
                changes.sort_by_key(|change| std::cmp::Reverse(change.range));
            }
            for encoding in [PositionEncoding::Utf8, PositionEncoding::Utf16] {
                prop_assert_eq!(all(&text, &changes, encoding), one_by_one(&text, &changes, encoding));
            }
        }
    }

    #[test]
    fn the_changes_of_many_cursors_take_one_pass() {
        let text = "a = 1\n".repeat(200_000);
        let changes: Vec<Change> = (0..200_000).rev().map(|line| change((line, 4), (line, 5), "2")).collect();
        assert!(all(&text, &changes, PositionEncoding::Utf16) == "a = 2\n".repeat(200_000));
    }
}
