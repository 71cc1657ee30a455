//! Prepares a line of a file for display: cut to a width, with spaces for tabs and visible control characters.

use std::borrow::Cow;
use std::ops::Range;

use crate::text::columns;
use cfg_diag::{escape, is_hazard};

const TAB: usize = 4;
/// The maximum number of characters per column: combining characters take no column, and a line may have any number of them.
const DENSEST: usize = 4;

/// The part of a line that is shown.
pub(super) struct Cut {
    /// The shown text, without a line break.
    pub(super) text: String,
    /// For each shown character of the line, and for the end: its offset in the line, and in `text`.
    offsets: Vec<(usize, usize)>,
    /// Whether the line continues after the shown part.
    goes_on: bool,
}

impl Cut {
    /// The part of `line` around the column at `focus`, at most `width` columns wide.
    pub(super) fn new(line: &str, focus: usize, width: usize, ellipsis: &str) -> Self {
        // Most lines are shown as they are, which is seen in their bytes.
        if line.len() <= width && is_plain(line) {
            return Self { text: line.to_owned(), offsets: (0..=line.len()).map(|at| (at, at)).collect(), goes_on: false };
        }
        let dots = ellipsis.chars().count();
        let from = window_start(line, focus, width, dots);
        let mut text = if from > 0 { ellipsis.to_owned() } else { String::new() };
        let mut used = if from > 0 { dots } else { 0 };
        let mut offsets = Vec::new();
        // The last place with room for the ellipsis, where the line is cut if it turns out to be too long.
        let mut last_good = (0, text.len());
        for (at, character) in line[from..].char_indices().map(|(at, character)| (from + at, character)) {
            if used + dots <= width {
                last_good = (offsets.len(), text.len());
            }
            let (cell, wide) = match character {
                '[' if text.ends_with("##") => (Cow::Borrowed(" ["), 2),
                _ => cell(character, used),
            };
            if used + wide > width || offsets.len() > 2 * DENSEST * width {
                let (kept, end) = last_good;
                offsets.truncate(kept + 1);
                if offsets.len() == kept {
                    offsets.push((at, end));
                }
                text.truncate(end);
                text += ellipsis;
                return Self { text, offsets, goes_on: true };
            }
            offsets.push((at, text.len()));
            text += &cell;
            used += wide;
        }
        offsets.push((line.len(), text.len()));
        Self { text, offsets, goes_on: false }
    }

    /// The shown part of a range of the line; `None` if its start is not shown.
    pub(super) fn map(&self, range: Range<usize>) -> Option<Range<usize>> {
        let (&(first, _), &(last, end)) = (self.offsets.first()?, self.offsets.last()?);
        if range.start < first || range.start > last || (self.goes_on && range.start == last) {
            return None;
        }
        let shown = |at: usize| match self.offsets.binary_search_by_key(&at, |&(original, _)| original) {
            Ok(found) => self.offsets[found].1,
            Err(behind) => self.offsets.get(behind).map_or(end, |&(_, shown)| shown),
        };
        let stop = if self.goes_on && range.end > last { self.text.len() } else { shown(range.end) };
        Some(shown(range.start)..stop.max(shown(range.start)))
    }
}

/// Whether each byte of a line is a character that takes a column, and is shown as it is.
fn is_plain(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b' '..=b'~')) && !line.contains("##")
}

/// The first byte to show: 0 if the line fits or the focus is close to its start, otherwise some columns before the focus.
fn window_start(line: &str, focus: usize, width: usize, dots: usize) -> usize {
    if fits(line, width) || fits(&line[..focus], width / 2) {
        return 0;
    }
    // Most of the room is for what follows the focus, if there is that much.
    let most_behind = width * 2 / 3;
    let behind = (1..most_behind).find(|&columns| fits(&line[focus..], columns)).unwrap_or(most_behind);
    let room = width.saturating_sub(behind + 2 * dots);
    let mut used = 0;
    let before = line[..focus].char_indices().rev().take(DENSEST * width).take_while(|&(_, character)| {
        used += cell(character, 0).1;
        used <= room
    });
    before.last().map_or(focus, |(at, _)| at)
}

/// Whether a text has at most this many columns. Only as much of the text is read as necessary.
fn fits(text: &str, width: usize) -> bool {
    let mut used = 0;
    text.chars().enumerate().all(|(number, character)| {
        used += cell(character, used).1;
        used <= width && number < DENSEST * width
    })
}

/// How a character is shown in a column, and the number of columns that it takes.
fn cell(character: char, column: usize) -> (Cow<'static, str>, usize) {
    match character {
        '\t' => (Cow::Borrowed(&"    "[column % TAB..]), TAB - column % TAB),
        hazard if is_hazard(hazard) => {
            let shown = escape(hazard);
            let wide = shown.len();
            (Cow::Owned(shown), wide)
        }
        harmless => (Cow::Owned(harmless.to_string()), columns(harmless)),
    }
}
