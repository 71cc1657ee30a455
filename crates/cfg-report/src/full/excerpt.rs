//! The lines of one file that a finding is about, with the lines around them, as a separate text.

use std::collections::BTreeMap;
use std::ops::Range;

use cfg_diag::{LineColumn, Location, Order};

use super::cut::Cut;
use crate::sources::Source;
use crate::text::wrap;
use crate::{Style, text};
use cfg_diag::one_line;

/// The number of lines shown before and after each marked line.
pub(super) const CONTEXT: u32 = 1;
/// A label with less room than this is placed below the picture.
const LEAST_LABEL: usize = 16;

/// A place to mark.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark<'d> {
    pub(super) location: Location,
    /// The label; empty if there is none.
    pub(super) label: &'d str,
    /// Whether it is the finding's own place.
    pub(super) primary: bool,
}

/// Lines that follow each other in a file.
#[derive(Debug)]
pub(super) struct Excerpt {
    /// The path of the file.
    pub(super) name: String,
    /// The number of the first line, from 0.
    pub(super) first: u32,
    /// The shown lines, each ended by `\n`, without control characters and tabs.
    pub(super) text: String,
    /// Where each line starts in `text`.
    pub(super) starts: Vec<usize>,
    /// The labels in the order of the text; those on one line do not overlap.
    pub(super) labels: Vec<Label>,
}

/// A mark in an excerpt.
#[derive(Clone, Debug)]
pub(super) struct Label {
    pub(super) range: Range<usize>,
    /// The wrapped text; empty if there is none.
    pub(super) words: String,
    pub(super) primary: bool,
    /// Its start in the file, in characters from 0.
    pub(super) at: LineColumn,
}

/// A mark that is limited to one line of the file.
struct Placed<'d> {
    mark: Mark<'d>,
    at: LineColumn,
    /// Its offsets in the line.
    range: Range<usize>,
}

/// Cuts the lines around the marks out of a file. Returns the excerpts, first the one with the finding's own place and then in the order of the file,
/// and the marks that can't be drawn, or whose label can't.
pub(super) fn excerpts<'d>(source: &Source<'_>, marks: &[Mark<'d>], style: &Style) -> (Vec<Excerpt>, Vec<Mark<'d>>) {
    let mut lines: BTreeMap<u32, Vec<Placed<'d>>> = BTreeMap::new();
    for mark in marks {
        let placed = place(source, *mark);
        lines.entry(placed.at.line).or_default().push(placed);
    }
    let last = source.line_column(source.text.len() as u32).line;
    for line in lines.keys().copied().collect::<Vec<_>>() {
        for around in line.saturating_sub(CONTEXT)..=(line + CONTEXT).min(last) {
            lines.entry(around).or_default();
        }
    }
    // Empty lines are only shown between two others.
    let edges: Vec<u32> = lines
        .iter()
        .filter(|&(line, placed)| placed.is_empty() && line_text(source, *line).trim().is_empty())
        .filter(|&(line, _)| {
            line.checked_sub(1).is_none_or(|above| !lines.contains_key(&above)) || !lines.contains_key(&(line + 1))
        })
        .map(|(line, _)| *line)
        .collect();
    for line in edges {
        lines.remove(&line);
    }

    let mut excerpts: Vec<Excerpt> = Vec::new();
    let mut hidden = Vec::new();
    // All line numbers are as wide as the last one.
    let gutter = lines.keys().next_back().map_or(1, |line| (line + 1).to_string().len()) + 4;
    for (number, placed) in lines {
        if excerpts.last().is_none_or(|excerpt| excerpt.first + (excerpt.starts.len() as u32) < number) {
            excerpts.push(Excerpt::new(source, number));
        }
        if let Some(excerpt) = excerpts.last_mut() {
            excerpt.push_line(line_text(source, number), placed, gutter, style, &mut hidden);
        }
    }
    excerpts.order_by_key(|excerpt| !excerpt.labels.iter().any(|label| label.primary));
    (excerpts, hidden)
}

impl Excerpt {
    fn new(source: &Source<'_>, first: u32) -> Self {
        let name = one_line(source.path).into_owned();
        Self { name, first, text: String::new(), starts: Vec::new(), labels: Vec::new() }
    }

    fn push_line<'d>(
        &mut self,
        line: &str,
        mut placed: Vec<Placed<'d>>,
        gutter: usize,
        style: &Style,
        hidden: &mut Vec<Mark<'d>>,
    ) {
        let focus = placed.first().map_or(0, |placed| placed.range.start);
        let room = style.width.saturating_sub(gutter + 1);
        let cut = Cut::new(line, focus, room, if style.unicode { "…" } else { "..." });
        let start = self.text.len();
        let mut labels: Vec<Label> = Vec::new();
        // The finding's own place comes first, so that others are left out if they overlap.
        placed.order_by_key(|placed| !placed.mark.primary);
        for Placed { mark, at, range } in placed {
            let Some(range) = cut.map(range).filter(|range| labels.iter().all(|other| apart(&other.range, range))) else {
                hidden.push(mark);
                continue;
            };
            // The label is at the end of a line that begins below the middle of the range.
            let columns = |end: usize| cut.text[..end].chars().map(text::columns).sum::<usize>();
            let hook = usize::midpoint(columns(range.start), columns(range.end)) + "`-- ".len();
            let label_room = style.width.saturating_sub(gutter + hook);
            let mut words = one_line(mark.label).into_owned();
            if label_room >= LEAST_LABEL || words.len() <= label_room {
                words = wrap(&words, label_room, label_room).join("\n");
            } else {
                hidden.push(mark);
                words.clear();
            }
            labels.push(Label { range, words, primary: mark.primary, at });
        }
        labels.order_by_key(|label| label.range.start);
        for label in &mut labels {
            label.range = label.range.start + start..label.range.end + start;
        }
        self.labels.append(&mut labels);
        self.starts.push(start);
        self.text += &cut.text;
        self.text.push('\n');
    }

    /// The index in `starts` of the line that holds an offset of `text`.
    pub(super) fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }

    /// The end of a line in `text`, after its line break.
    pub(super) fn line_end(&self, line: usize) -> usize {
        self.starts.get(line + 1).copied().unwrap_or(self.text.len())
    }
}

/// Limits a mark to the text and to its first line.
fn place<'d>(source: &Source<'_>, mark: Mark<'d>) -> Placed<'d> {
    let at = source.line_column(mark.location.span.start);
    let line = line_text(source, at.line);
    let first = source.line_start(at.line) as usize;
    let inside = |offset: u32| {
        let mut offset = (offset as usize).saturating_sub(first).min(line.len());
        while !line.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    let start = inside(mark.location.span.start);
    Placed { mark, at, range: start..inside(mark.location.span.end).max(start) }
}

/// A line without its line break.
fn line_text<'s>(source: &Source<'s>, line: u32) -> &'s str {
    let (start, end) = (source.line_start(line) as usize, source.line_start(line + 1) as usize);
    source.text[start..end].trim_end_matches(['\n', '\r'])
}

/// Whether two ranges can both be drawn.
fn apart(one: &Range<usize>, other: &Range<usize>) -> bool {
    let end = |range: &Range<usize>| range.end.max(range.start + 1);
    end(one) <= other.start || end(other) <= one.start
}
