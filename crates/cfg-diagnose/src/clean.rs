//! Removes from a log what only a terminal needs: escape sequences, and the zero bytes of UTF-16.

use memchr::memchr2;

/// ESC, which begins an escape sequence.
const ESCAPE: u8 = 0x1b;

/// The maximum length of a sequence; what is longer is treated as text.
const LONGEST: usize = 512;

/// The state within a sequence at the end of a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// After the escape.
    Begun,
    /// Within `ESC [ ...`, which ends with a letter; with the number of bytes so far.
    Control(usize),
    /// Within `ESC ] ...`, which ends with BEL or another escape; with the number of bytes so far.
    Command(usize),
    /// After the escape that ends a command.
    CommandEnd,
}

/// Cleans a log that arrives in pieces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cleaner {
    state: State,
}

impl Cleaner {
    /// Appends the cleaned text of a piece.
    pub(crate) fn append(&mut self, mut piece: &[u8], to: &mut Vec<u8>) {
        while let Some(&first) = piece.first() {
            if self.state == State::Text {
                piece = text(piece, to);
                if let Some((&special, behind)) = piece.split_first() {
                    piece = behind;
                    if special == ESCAPE {
                        self.state = State::Begun;
                    }
                }
            } else if matches!(first, b'\n' | b'\r') {
                // A sequence without an end must not swallow a whole line.
                self.state = State::Text;
            } else {
                self.state = self.after(first);
                piece = &piece[1..];
            }
        }
    }

    fn after(&self, byte: u8) -> State {
        match (self.state, byte) {
            // An escape begins a new sequence; `ESC ( B` selects a character set.
            (State::Begun | State::CommandEnd, ESCAPE) | (State::Begun, 0x20..=0x2f) => State::Begun,
            (State::Begun, b'[') => State::Control(0),
            (State::Begun, b']' | b'P' | b'_' | b'^') => State::Command(0),
            (State::Control(_), 0x40..=0x7e) | (State::Command(_), 0x07) => State::Text,
            (State::Control(seen), _) if seen < LONGEST => State::Control(seen + 1),
            (State::Command(_), ESCAPE) => State::CommandEnd,
            (State::Command(seen), _) if seen < LONGEST => State::Command(seen + 1),
            _ => State::Text,
        }
    }
}

/// Copies text, without plain colours, up to a byte that needs the slower path: an escape that is not a plain colour, or a zero byte. In coloured
/// logs there is a colour every ten bytes; at that distance a call of `memchr` is slower than comparing words.
fn text<'p>(mut piece: &'p [u8], to: &mut Vec<u8>) -> &'p [u8] {
    let mut words = 0;
    while let Some((word, behind)) = piece.split_first_chunk::<WORD>() {
        let place = first_special(*word);
        if place == WORD {
            words += 1;
            if words > MAX_WORDS {
                words = 0;
                let end = memchr2(ESCAPE, 0, piece).unwrap_or(piece.len());
                to.extend_from_slice(&piece[..end]);
                piece = &piece[end..];
                continue;
            }
            to.extend_from_slice(word);
            piece = behind;
            continue;
        }
        words = 0;
        // Copying the whole word is faster than copying a part of it.
        to.extend_from_slice(word);
        to.truncate(to.len() - (WORD - place));
        match colour(&piece[place..]) {
            Some(length) => piece = &piece[place + length..],
            None => return &piece[place..],
        }
    }
    let end = memchr2(ESCAPE, 0, piece).unwrap_or(piece.len());
    to.extend_from_slice(&piece[..end]);
    &piece[end..]
}

/// The number of bytes that are compared at once.
const WORD: usize = 8;

/// After this many words without a special byte, the search continues with `memchr`.
const MAX_WORDS: usize = 8;

/// The index of the first escape or zero byte in a word; `WORD` if there is none.
#[inline]
fn first_special(word: [u8; WORD]) -> usize {
    const ONES: u64 = u64::from_le_bytes([1; WORD]);
    const HIGHS: u64 = ONES << 7;
    const ESCAPES: u64 = u64::from_le_bytes([ESCAPE; WORD]);
    let word = u64::from_le_bytes(word);
    // The lowest marked byte is zero; higher ones may be marked because of a borrow.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    let special = zeros(word) | zeros(word ^ ESCAPES);
    special.trailing_zeros() as usize / 8
}

/// The length of a complete `ESC [ 1 ; 31 m`.
#[inline]
fn colour(piece: &[u8]) -> Option<usize> {
    let [ESCAPE, b'[', parameters @ ..] = piece else { return None };
    let end = parameters.iter().take(LONGEST_COLOUR).position(|byte| !matches!(byte, b'0'..=b'?'))?;
    matches!(parameters[end], 0x40..=0x7e).then_some(end + 3)
}

/// The longest colour has three parameters of eight bits; anything longer takes the slower path.
const LONGEST_COLOUR: usize = 24;

#[cfg(test)]
mod tests {
    use super::Cleaner;

    fn cleaned(pieces: &[&[u8]]) -> String {
        let (mut cleaner, mut text) = (Cleaner::default(), Vec::new());
        for piece in pieces {
            cleaner.append(piece, &mut text);
        }
        String::from_utf8_lossy(&text).into_owned()
    }

    #[test]
    fn escape_sequences_across_chunks_are_removed() {
        let log = b"a\x1b[1;31mb\x1b[0mc\x1b]8;;https://x\x1b\\d\x1b]0;title\x07e\x1b(Bf";
        assert_eq!(cleaned(&[log]), "abcdef");
        let bytes: Vec<&[u8]> = log.chunks(1).collect();
        assert_eq!(cleaned(&bytes), "abcdef");
    }

    /// For all lengths of text and sequences, the result equals that of the byte-by-byte path.
    #[test]
    fn processing_whole_words_equals_processing_bytes() {
        let sequences = [
            "\x1b[m",
            "\x1b[1;31m",
            "\x1b[38;2;255;100;20m",
            "\x1b[2K",
            "\x1b[?25l",
            "\0",
            "\x1b",
            "\x1b[",
            "\x1b[1\n",
            "\x1b[1\r",
            "\x1b]0;t\x07",
            "\x1b(B",
            "\x1b[1\x1b[0m",
            "\x1b[é",
            "\x1b[000000000000000000000000000000001m",
        ];
        for length in 0..90 {
            for sequence in sequences {
                let text = format!("{}{sequence}{}{sequence}{sequence}é", "x".repeat(length), "yz".repeat(length / 2));
                let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
                assert_eq!(cleaned(&[text.as_bytes()]), cleaned(&bytes), "{text:?}");
            }
        }
    }

    #[test]
    fn text_in_utf16_is_read() {
        assert_eq!(cleaned(&[b"o\0k\0\n\0"]), "ok\n");
    }

    #[test]
    fn an_unfinished_escape_sequence_ends_with_its_line() {
        assert_eq!(cleaned(&[b"a\x1b[31\nb\x1b]0;x\nc"]), "a\nb\nc");
    }
}
