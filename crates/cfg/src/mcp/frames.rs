//! Reads messages from a stream, one per line.

use std::io::{self, BufRead, Read as _};

/// The maximum length of a message in bytes. A longer one is skipped and answered with an error. A config of 4 MiB fits in any encoding.
pub(crate) const MAX_BYTES: usize = 16 << 20;

/// A message, or the reason why there is none.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// The bytes of a line.
    Line(Vec<u8>),
    /// A line that is longer than [`MAX_BYTES`].
    TooLong,
}

/// The next message; `None` at the end of the stream. Empty lines are skipped.
pub(crate) fn next(input: &mut impl BufRead) -> io::Result<Option<Frame>> {
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(MAX_BYTES as u64 + 1).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if line.len() > MAX_BYTES {
            if !line.ends_with(b"\n") {
                skip_line(input)?;
            }
            return Ok(Some(Frame::TooLong));
        }
        if !line.trim_ascii().is_empty() {
            return Ok(Some(Frame::Line(line)));
        }
    }
}

/// Skips the rest of a line without storing it.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let held = input.fill_buf()?;
        let (used, is_end) = match held.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (held.len(), held.is_empty()),
        };
        input.consume(used);
        if is_end {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read as _};

    use super::{Frame, MAX_BYTES, next};

    #[test]
    fn each_line_is_a_message_and_a_long_one_is_passed_over() {
        let long = std::io::repeat(b'x').take(MAX_BYTES as u64 * 2);
        let mut input = BufReader::new((&b"\n{}\r\n"[..]).chain(long).chain(&b"\n[]"[..]));
        let mut read = || next(&mut input).expect("it can be read");
        assert_eq!(read(), Some(Frame::Line(b"{}\r\n".to_vec())));
        assert_eq!(read(), Some(Frame::TooLong));
        assert_eq!(read(), Some(Frame::Line(b"[]".to_vec())));
        assert_eq!(read(), None);
    }
}
