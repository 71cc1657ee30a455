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
        let original = self.original;
        let mut rest: Vec<Piece> = self.pieces.into_iter().rev().collect();
        let mut at = 0;
        let part = |end: usize| {
            let mut pieces = Vec::new();
            while at < end
                && let Some(piece) = rest.pop()
            {
                let wanted = end - at;
                let (own, behind) = if piece.len() > wanted { piece.split(wanted) } else { (piece, Piece::New(String::new())) };
                at += own.len();
                pieces.push(own);
                if behind.len() > 0 {
                    rest.push(behind);
                }
            }
            Self { original, pieces }
        };
        ends.map(part).collect()
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
        // From the end, so that the other offsets stay valid.
        for edit in edits.into_iter().rev() {
            let start = self.cut(edit.span.start as usize);
            let end = self.cut(edit.span.end as usize).max(start);
            self.pieces.splice(start..end, [Piece::New(edit.new_text.clone())]);
        }
    }

    /// Splits the text so that a piece begins at an offset of the current text; returns the index
    /// of that piece.
    fn cut(&mut self, offset: usize) -> usize {
        let mut at = 0;
        for index in 0..self.pieces.len() {
            let len = self.pieces[index].len();
            if at == offset {
                return index;
            }
            if offset < at + len {
                let (before, after) = self.pieces[index].clone().split(offset - at);
                self.pieces.splice(index..=index, [before, after]);
                return index + 1;
            }
            at += len;
        }
        self.pieces.len()
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
