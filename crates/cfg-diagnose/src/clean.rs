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
        while !piece.is_empty() {
            if self.state == State::Text {
                let Some(at) = memchr2(ESCAPE, 0, piece) else {
                    to.extend_from_slice(piece);
                    return;
                };
                to.extend_from_slice(&piece[..at]);
                if piece[at] == ESCAPE {
                    self.state = State::Begun;
                }
                piece = &piece[at + 1..];
            } else if matches!(piece[0], b'\n' | b'\r') {
                // A line is never swallowed by a sequence that does not end.
                self.state = State::Text;
            } else {
                self.state = self.after(piece[0]);
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

    #[test]
    fn text_in_utf16_is_read() {
        assert_eq!(cleaned(&[b"o\0k\0\n\0"]), "ok\n");
    }

    #[test]
    fn lines_outlive_a_torn_sequence() {
        assert_eq!(cleaned(&[b"a\x1b[31\nb\x1b]0;x\nc"]), "a\nb\nc");
    }
}
