//! Folding ranges and selection ranges.

use cfg_diag::{Order, Span};
use cfg_syntax::{Table, TableStyle, Value, ValueKind};

use crate::{Analysis, spot};

/// The content of a fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldKind {
    /// A table with its body, or a value of several lines.
    Region,
    /// Lines of comment.
    Comment,
}

/// Lines that can be folded, both counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// The line that stays visible.
    pub first: u32,
    /// The last hidden line.
    pub last: u32,
    /// Its content.
    pub kind: FoldKind,
}

/// All folds of a document.
pub fn folds(analysis: &Analysis) -> Vec<Fold> {
    let text = &analysis.text;
    let line = |offset: u32| analysis.lines.line_column(text, offset, cfg_diag::PositionEncoding::Utf8).line;
    let mut folds = Vec::new();
    let mut add = |first: u32, last: u32, kind| {
        if last > first {
            folds.push(Fold { first, last, kind });
        }
    };
    let headers = &analysis.document.headers;
    for (index, header) in headers.iter().enumerate() {
        let end = headers.get(index + 1).map_or(text.len(), |next| next.span.start as usize);
        let body = text[header.span.start as usize..end].trim_end();
        // Comments above the next header belong to it.
        let own = body.lines().rev().skip_while(|line| line.trim().is_empty() || line.trim_start().starts_with('#')).count();
        let first = line(header.span.start);
        add(first, first + own.saturating_sub(1) as u32, FoldKind::Region);
    }
    values(&analysis.document.root, &mut |value| add(line(value.span.start), line(value.span.end), FoldKind::Region));
    let mut block: Option<(u32, u32)> = None;
    for comment in &analysis.document.comments {
        let at = line(comment.start);
        let line_start = cfg_diag::line_start(text, comment.start as usize);
        let is_own_line = text[line_start..comment.start as usize].trim().is_empty();
        block = match block {
            Some((first, last)) if is_own_line && at == last + 1 => Some((first, at)),
            other => {
                if let Some((first, last)) = other {
                    add(first, last, FoldKind::Comment);
                }
                is_own_line.then_some((at, at))
            }
        };
    }
    if let Some((first, last)) = block {
        add(first, last, FoldKind::Comment);
    }
    folds
}

/// Calls `found` for every array, inline table and string.
fn values(table: &Table, found: &mut dyn FnMut(&Value)) {
    for entry in &table.entries {
        value(&entry.value, found);
    }
}

fn value(of: &Value, found: &mut dyn FnMut(&Value)) {
    match &of.kind {
        ValueKind::Table(inner) => {
            if inner.style == TableStyle::Inline {
                found(of);
            }
            values(inner, found);
        }
        ValueKind::Array(items) => {
            if !of.is_array_of_tables() {
                found(of);
            }
            items.iter().for_each(|item| value(item, found));
        }
        ValueKind::String(_) => found(of),
        _ => {}
    }
}

/// The selection ranges at `offset`, the smallest first: word, value, line, table, document.
pub fn selection(analysis: &Analysis, offset: u32) -> Vec<Span> {
    let text = &analysis.text;
    let mut spans = Vec::new();
    if let Some(spot) = spot(&analysis.document, offset) {
        spans.push(spot.span());
    }
    let mut around = Vec::new();
    values(&analysis.document.root, &mut |value| {
        if value.span.touches(offset) {
            around.push(value.span);
        }
    });
    around.order_by_key(|span| span.end - span.start);
    spans.extend(around);
    let at = offset as usize;
    let line_start = cfg_diag::line_start(text, at);
    let line_end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    spans.push(Span::from(line_start..line_end));
    if let Some(index) = analysis.document.headers.iter().rposition(|header| header.span.start <= offset) {
        let start = analysis.document.headers[index].span.start;
        let end = analysis.document.headers.get(index + 1).map_or(text.len() as u32, |next| next.span.start);
        spans.push(Span::new(start, end));
    }
    spans.push(Span::from(0..text.len()));
    // Each must contain the previous one.
    let mut grown: Vec<Span> = Vec::new();
    for span in spans {
        if grown.last().is_none_or(|last| span.start <= last.start && last.end <= span.end && span != *last) {
            grown.push(span);
        }
    }
    grown
}
