//! A text that an editor changes range by range.
//!
//! Each range is one of the text that the changes before it have made, and a message can have one for each of many cursors. So one change is made in the
//! text itself; several are made in a rope, where each costs the logarithm of the text.

use std::ops::Range;

use cfg_diag::{LineColumn, LineIndex, PositionEncoding};
use ropey::Rope;

use crate::state::Change;

/// A text after changes. Its lines are needed for one change alone, and are found if they are not known.
pub(crate) fn changed(text: &str, lines: Option<&LineIndex>, encoding: PositionEncoding, changes: Vec<Change>) -> String {
    if let [Change { range: Some((from, to)), text: new }] = &changes[..] {
        let found = lines.is_none().then(|| LineIndex::new(text));
        let lines = lines.or(found.as_ref()).expect("they are known or were found");
        let offset = |position| lines.offset(text, position, encoding) as usize;
        let start = offset(*from);
        return [&text[..start], new, &text[offset(*to).max(start)..]].concat();
    }
    let whole = changes.iter().rposition(|change| change.range.is_none());
    let mut ranges = changes.into_iter().skip(whole.unwrap_or(0)).peekable();
    let replaced = ranges.next_if(|change| change.range.is_none()).map(|change| change.text);
    if ranges.peek().is_none() {
        return replaced.unwrap_or_else(|| text.to_owned());
    }
    let mut rope = Rope::from_str(replaced.as_deref().unwrap_or(text));
    for Change { range, text } in ranges {
        let Some((from, to)) = range else { continue };
        let Range { start, end } = character(&rope, from, encoding)..character(&rope, to, encoding);
        rope.remove(start..end.max(start));
        rope.insert(start, &text);
    }
    rope.into()
}

/// The characters before a position, which is clamped as [`LineIndex::offset`] does it.
fn character(rope: &Rope, position: LineColumn, encoding: PositionEncoding) -> usize {
    let (line, column) = (position.line as usize, position.column as usize);
    if line >= rope.len_lines() {
        return rope.len_chars();
    }
    let text = rope.line(line);
    // A unit within a character stands for the character's end.
    let (whole, rest) = match encoding {
        PositionEncoding::Utf8 => {
            let column = column.min(text.len_bytes());
            let at = text.byte_to_char(column);
            (at, column - text.char_to_byte(at))
        }
        PositionEncoding::Utf16 => {
            let column = column.min(text.len_utf16_cu());
            let at = text.utf16_cu_to_char(column);
            (at, column - text.char_to_utf16_cu(at))
        }
        PositionEncoding::Utf32 => (column, 0),
    };
    let mut end = text.len_chars();
    for sign in ['\n', '\r'] {
        end -= usize::from(end > 0 && text.char(end - 1) == sign);
    }
    rope.line_to_char(line) + (whole + usize::from(rest > 0)).min(end)
}

#[cfg(test)]
mod tests {
    use cfg_diag::{LineColumn, LineIndex, PositionEncoding};
    use proptest::prelude::*;

    use super::changed;
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
        changed(text, None, encoding, changes.to_vec())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

        #[test]
        fn changes_made_together_are_those_made_one_by_one(
            text in "[a\n\ré𝄞]{0,12}",
            changes in prop::collection::vec(((0_u32..4, 0_u32..5), (0_u32..4, 0_u32..5), "[b\n\ré]{0,3}"), 0..6),
        ) {
            let changes: Vec<Change> = changes.iter().map(|(from, to, text)| change(*from, *to, text)).collect();
            for encoding in [PositionEncoding::Utf8, PositionEncoding::Utf16] {
                prop_assert_eq!(all(&text, &changes, encoding), one_by_one(&text, &changes, encoding));
            }
        }
    }

    /// Whatever their order is, and for columns after the ends of lines too.
    #[test]
    fn the_changes_of_many_cursors_take_time_that_grows_with_them() {
        let text = "a = 1\n".repeat(100_000);
        let changes = |lines: &mut dyn Iterator<Item = u32>, column| -> Vec<Change> {
            lines.map(|line| change((line, column), (line, 99), "2")).collect()
        };
        let upwards = changes(&mut (0..100_000).rev(), 4);
        let downwards = changes(&mut (0..100_000), 4);
        for changes in [upwards, downwards] {
            assert!(all(&text, &changes, PositionEncoding::Utf16) == "a = 2\n".repeat(100_000));
        }
        let behind = changes(&mut (0..100_000), 9);
        assert!(all(&text, &behind, PositionEncoding::Utf16) == "a = 12\n".repeat(100_000));
        let in_one_line: Vec<Change> = (0..100_000).map(|at| change((0, at * 2), (0, at * 2), "b")).collect();
        assert!(all(&"a".repeat(1_000_000), &in_one_line, PositionEncoding::Utf16).starts_with("baba"));
    }

    #[test]
    fn a_text_that_replaces_the_whole_is_the_one_that_later_ranges_change() {
        let whole = Change { range: None, text: "b = 1\n".to_owned() };
        let changes = [change((0, 0), (0, 1), "x"), whole.clone(), change((0, 4), (0, 5), "2")];
        assert_eq!(all("a = 1\n", &changes, PositionEncoding::Utf16), "b = 2\n");
        assert_eq!(all("a = 1\n", &[change((0, 0), (0, 1), "x"), whole], PositionEncoding::Utf16), "b = 1\n");
        assert_eq!(all("a = 1\n", &[], PositionEncoding::Utf16), "a = 1\n");
    }
}
