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
        // A number must not be the end of a longer number.
        let is_part_of_number = |at: usize| {
            let before = at.checked_sub(1).and_then(|before| line.get(before));
            line.get(at).is_some_and(u8::is_ascii_digit)
                && before.is_some_and(|before| before.is_ascii_digit() || *before == b'.')
        };
        if is_part_of_number(at) {
            return false;
        }
        let Some((before, behind)) = line.split_at_checked(at) else { return false };
        let mut rest = before;
        let fits_before = self.pieces[..self.anchor].iter().all(|piece| {
            let found = memmem::find(rest, piece.as_bytes());
            rest = found.map_or(&[][..], |at| &rest[at + piece.len()..]);
            found.is_some()
        });
        let mut rest = behind.get(self.anchor().len()..).unwrap_or_default();
        fits_before
            && self.pieces[self.anchor + 1..].iter().all(|piece| {
                let found = memmem::find(rest, piece.as_bytes());
                rest = found.map_or(&[][..], |at| &rest[at + piece.len()..]);
                found.is_some()
            })
    }

    /// Whether the pattern matches anywhere in a line, which is in lower case.
    pub(crate) fn is_in(&self, line: &[u8]) -> bool {
        memmem::find_iter(line, self.anchor().as_bytes()).any(|at| self.matches_at(line, at))
    }
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
    }
}
