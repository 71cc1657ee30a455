//! Combines several successive edits into edits of the first text.

use cfg_diag::Span;

use super::TextEdit;

/// A text as pieces of the original text and of new text.
#[derive(Clone, Debug)]
pub(super) struct Pieces<'t> {
    original: &'t str,
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug)]
enum Piece {
    /// Bytes of the original text.
    Old(Span),
    New(String),
}

impl Piece {
    fn len(&self) -> usize {
        match self {
            Self::Old(span) => (span.end - span.start) as usize,
            Self::New(text) => text.len(),
        }
    }

    /// Splits it into the part before `at` and the part from `at` on.
    fn split(self, at: usize) -> (Self, Self) {
        match self {
            Self::Old(span) => {
                let middle = span.start + at as u32;
                (Self::Old(Span::new(span.start, middle)), Self::Old(Span::new(middle, span.end)))
            }
            Self::New(mut text) => {
                let after = text.split_off(at);
                (Self::New(text), Self::New(after))
            }
        }
    }
}

/// Goes through pieces once, from the first to the last.
struct Cursor {
    /// Those that are left, the next one last.
    rest: Vec<Piece>,
    /// The offset of the next one in the text.
    at: usize,
}

impl Cursor {
    fn new(mut pieces: Vec<Piece>) -> Self {
        pieces.reverse();
        Self { rest: pieces, at: 0 }
    }

    /// The pieces up to an offset, of which the last one may be a part of a longer one.
    fn until(&mut self, end: usize) -> Vec<Piece> {
        let mut passed = Vec::new();
        while self.at < end
            && let Some(mut piece) = self.rest.pop()
        {
            let wanted = end - self.at;
            if piece.len() > wanted {
                let (own, behind) = piece.split(wanted);
                self.rest.push(behind);
                piece = own;
            }
            self.at += piece.len();
            passed.push(piece);
        }
        passed
    }
}

impl<'t> Pieces<'t> {
    pub(super) fn new(original: &'t str) -> Self {
        Self { original, pieces: vec![Piece::Old(Span::new(0, original.len() as u32))] }
    }

    /// Joins the parts of a text.
    pub(super) fn joined(original: &'t str, parts: impl Iterator<Item = Self>) -> Self {
        Self { original, pieces: parts.flat_map(|part| part.pieces).collect() }
    }

    /// Splits the text into parts, each ending at one of these offsets.
    pub(super) fn split(self, ends: impl Iterator<Item = usize>) -> Vec<Self> {
        let mut cursor = Cursor::new(self.pieces);
        ends.map(|end| Self { original: self.original, pieces: cursor.until(end) }).collect()
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            text.push_str(match piece {
                Piece::Old(span) => &self.original[span.range()],
                Piece::New(text) => text,
            });
        }
        text
    }

    /// Applies edits of the current text that do not overlap.
    pub(super) fn apply(&mut self, edits: &[TextEdit]) {
        let mut edits: Vec<&TextEdit> = edits.iter().collect();
        edits.sort_by_key(|edit| edit.span);
        let mut cursor = Cursor::new(std::mem::take(&mut self.pieces));
        for edit in edits {
            self.pieces.extend(cursor.until(edit.span.start as usize));
            self.pieces.push(Piece::New(edit.new_text.clone()));
            // What it replaces.
            cursor.until(edit.span.end as usize);
        }
        self.pieces.extend(cursor.rest.into_iter().rev());
    }

    /// All changes, as edits of the original text.
    pub(super) fn edits(self) -> Vec<TextEdit> {
        let mut edits = Vec::new();
        let mut at = 0;
        let mut new_text = String::new();
        let end = Piece::Old(Span::empty(self.original.len() as u32));
        for piece in self.pieces.into_iter().chain([end]) {
            match piece {
                Piece::New(text) => new_text.push_str(&text),
                Piece::Old(span) => {
                    if at < span.start || !new_text.is_empty() {
                        edits.push(TextEdit { span: Span::new(at, span.start), new_text: std::mem::take(&mut new_text) });
                    }
                    at = span.end;
                }
            }
        }
        edits
    }
}
