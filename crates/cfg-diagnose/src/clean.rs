//! Takes out of a log what only a terminal needs: escape sequences, and the zero bytes of a text in UTF-16.

use memchr::memchr2;

/// ESC, which begins a sequence.
const ESCAPE: u8 = 0x1b;

/// The longest sequence; a longer one is text after all.
const LONGEST: usize = 512;

/// Where in a sequence a piece of the log ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// Behind the escape.
    Begun,
    /// Within `ESC [ ...`, which ends with a letter; so many bytes of it were seen.
    Control(usize),
    /// Within `ESC ] ...`, which ends with BEL or another escape; so many bytes of it were seen.
    Command(usize),
    /// Behind the escape that ends such a one.
    CommandEnd,
}

/// Cleans a log that comes in pieces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cleaner {
    state: State,
}

impl Cleaner {
    /// Appends the text of a piece.
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
                // A line is never swallowed by a sequence that does not end.
                self.state = State::Text;
            } else {
                self.state = self.after(first);
                piece = &piece[1..];
            }
        }
    }

    fn after(&self, byte: u8) -> State {
        match (self.state, byte) {
            // An escape begins anew; `ESC ( B` chooses a set of characters.
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

/// Copies text, without colours, up to what needs a closer look: an escape that is not a plain colour, or a zero byte. Coloured lines have such a
/// sequence every ten bytes, for which a call of `memchr` takes longer than looking at words.
fn text<'p>(mut piece: &'p [u8], to: &mut Vec<u8>) -> &'p [u8] {
    let mut words = 0;
    while let Some((word, behind)) = piece.split_first_chunk::<WORD>() {
        let place = first_special(*word);
        if place == WORD {
            words += 1;
            if words > MOST_WORDS {
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
        // A word is written faster than a part of it.
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

/// Bytes that are looked at together.
const WORD: usize = 8;

/// So many words without anything special are followed by more.
const MOST_WORDS: usize = 8;

/// The place of the first escape or zero byte of a word; its length where there is none.
#[inline]
fn first_special(word: [u8; WORD]) -> usize {
    const ONES: u64 = u64::from_le_bytes([1; WORD]);
    const HIGHS: u64 = ONES << 7;
    const ESCAPES: u64 = u64::from_le_bytes([ESCAPE; WORD]);
    let word = u64::from_le_bytes(word);
    // The lowest byte that is marked is zero; those above it may be marked for a borrow.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    let special = zeros(word) | zeros(word ^ ESCAPES);
    special.trailing_zeros() as usize / 8
}

/// The length of a whole `ESC [ 1 ; 31 m`.
#[inline]
fn colour(piece: &[u8]) -> Option<usize> {
    let [ESCAPE, b'[', parameters @ ..] = piece else { return None };
    let end = parameters.iter().take(LONGEST_COLOUR).position(|byte| !matches!(byte, b'0'..=b'?'))?;
    matches!(parameters[end], 0x40..=0x7e).then_some(end + 3)
}

/// The longest colour has three parameters of eight bits; what is longer is looked at byte by byte.
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
    fn sequences_go_wherever_a_piece_ends() {
        let log = b"a\x1b[1;31mb\x1b[0mc\x1b]8;;https://x\x1b\\d\x1b]0;title\x07e\x1b(Bf";
        assert_eq!(cleaned(&[log]), "abcdef");
        let bytes: Vec<&[u8]> = log.chunks(1).collect();
        assert_eq!(cleaned(&bytes), "abcdef");
    }

    /// Whatever the lengths of text and sequences, whole words or not: what goes and stays is the same as byte by byte.
    #[test]
    fn words_of_bytes_change_nothing() {
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
    fn lines_outlive_a_torn_sequence() {
        assert_eq!(cleaned(&[b"a\x1b[31\nb\x1b]0;x\nc"]), "a\nb\nc");
    }
}
