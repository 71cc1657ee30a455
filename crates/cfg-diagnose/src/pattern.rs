//! The pattern of a symptom within one line.

use memchr::memmem;

/// Stands for any text within the line.
const GAP: char = '…';

/// Pieces of text that follow each other in one line, compared without case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// The pieces in lower case; none is empty.
    pieces: Vec<Box<str>>,
    /// The index of the piece that is searched for.
    anchor: usize,
}

impl Pattern {
    /// Reads `too large: … tokens`; `None` if it contains no text.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let pieces = text.split(GAP).map(str::trim).filter(|piece| !piece.is_empty());
        let pieces: Vec<Box<str>> = pieces.map(|piece| piece.to_ascii_lowercase().into()).collect();
        // If several pieces are equally long, the last one is taken; any would do.
        let anchor = (0..pieces.len()).max_by_key(|&index| pieces[index].len())?;
        Some(Self { pieces, anchor })
    }

    /// The piece that is searched for.
    pub(crate) fn anchor(&self) -> &str {
        &self.pieces[self.anchor]
    }

    /// Whether the pattern matches a line, which is in lower case, with its anchor at `at`.
    pub(crate) fn matches_at(&self, line: &[u8], at: usize) -> bool {
        if !is_whole(line, at, self.anchor()) {
            return false;
        }
        let follow = |pieces: &[Box<str>], from: usize, end: usize| {
            pieces.iter().try_fold(from, |from, piece| Self::piece_end(line.get(..end)?, from, piece)).is_some()
        };
        let behind = at + self.anchor().len();
        follow(&self.pieces[..self.anchor], 0, at) && follow(&self.pieces[self.anchor + 1..], behind, line.len())
    }

    /// Where the first occurrence of a piece at or behind a position ends.
    fn piece_end(line: &[u8], from: usize, piece: &str) -> Option<usize> {
        let found = memmem::find_iter(line.get(from..)?, piece.as_bytes());
        found.map(|at| from + at).find(|at| is_whole(line, *at, piece)).map(|at| at + piece.len())
    }

    /// Whether the pattern matches anywhere in a line, which is in lower case.
    pub(crate) fn is_in(&self, line: &[u8]) -> bool {
        memmem::find_iter(line, self.anchor().as_bytes()).any(|at| self.matches_at(line, at))
    }
}

/// Whether a number at the beginning or at the end of a piece, which is found at `at`, is not a part of a longer one.
fn is_whole(line: &[u8], at: usize, piece: &str) -> bool {
    let is_digit = |at: usize| line.get(at).is_some_and(u8::is_ascii_digit);
    let before = at.checked_sub(1).and_then(|before| line.get(before));
    let begins_within = is_digit(at) && before.is_some_and(|before| before.is_ascii_digit() || *before == b'.');
    let end = at + piece.len();
    let goes_on = is_digit(end) || line.get(end) == Some(&b'.') && is_digit(end + 1);
    let ends_within = goes_on && piece.ends_with(|last: char| last.is_ascii_digit());
    !begins_within && !ends_within
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn parts_of_a_pattern_match_in_order() {
        let pattern = Pattern::read("Free memory on … is less than …").expect("a pattern");
        assert_eq!(pattern.anchor(), "free memory on");
        assert!(pattern.is_in(b"valueerror: free memory on device (1/2 gib) is less than wanted"));
        assert!(!pattern.is_in(b"is less than wanted: free memory on device"));
        let middle = Pattern::read("a1 … the longest piece … b2").expect("a pattern");
        assert!(middle.is_in(b"a1 and the longest piece and b2"));
        assert!(!middle.is_in(b"the longest piece and b2"));
        assert!(!middle.is_in(b"a1 and the longest piece"));
        assert_eq!(Pattern::read(" … "), None);
    }

    #[test]
    fn a_number_matches_only_as_a_whole() {
        let pattern = Pattern::read("0 tool calls").expect("a pattern");
        assert!(pattern.is_in(b"made 0 tool calls"));
        assert!(!pattern.is_in(b"made 10 tool calls"));
        assert!(pattern.is_in(b"10 tool calls, then 0 tool calls"));
        let status = Pattern::read("500 … /init_broadcaster").expect("a pattern");
        assert!(status.is_in(b"port 50012: 500 at /init_broadcaster"));
        assert!(!status.is_in(b"port 50012, 1500 and 0.500: /init_broadcaster"));
        let code = Pattern::read("exitcode: -6").expect("a pattern");
        assert!(code.is_in(b"exitcode: -6.") && !code.is_in(b"exitcode: -64"));
    }
}
