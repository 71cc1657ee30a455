//! A writer whose lines no CI system reads as commands.

use std::{
    borrow::Cow,
    io::{self, Write},
};

use cfg_diag::without_commands;

/// Passes on lines so that no CI system reads a command in one: see [`without_commands`]. It knows nothing about what is printed, so that this holds for
/// every format and every message. Whatever can't be a command is passed on unchanged.
#[derive(Debug)]
pub struct Guarded<W: Write> {
    out: W,
    /// The end of what was written, which has no line break.
    line: Vec<u8>,
    /// Whether more than white space of the current line was passed on before.
    has_begun: bool,
}

/// A longer line is passed on in pieces.
const LONGEST: usize = 64 << 10;

/// This much of a piece is kept for the next one: more than the name of a command has.
const KEPT: usize = 64;

impl<W: Write> Guarded<W> {
    /// Lines for `out`. The end of the last line is passed on with [`flush`](Write::flush), or when this is dropped.
    pub const fn new(out: W) -> Self {
        Self { out, line: Vec::new(), has_begun: false }
    }

    /// Passes on lines, or parts of one.
    fn pass(&mut self, text: &[u8]) -> io::Result<()> {
        // Nearly no text has either; as a string it is searched faster than as bytes.
        let may_be_command = str::from_utf8(text).map_or(true, |text| text.contains("::") || text.contains("##"));
        if !may_be_command {
            self.out.write_all(text)?;
        }
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            if may_be_command {
                self.out.write_all(&harmless(line, self.has_begun))?;
            }
            self.has_begun = !line.ends_with(b"\n") && (self.has_begun || !line.trim_ascii().is_empty());
        }
        Ok(())
    }

    /// Passes on what is kept, except its last bytes.
    fn pass_kept(&mut self, except: usize) -> io::Result<()> {
        let mut kept = std::mem::take(&mut self.line);
        let end = kept.len().saturating_sub(except);
        let passed = self.pass(&kept[..end]);
        kept.drain(..end);
        self.line = kept;
        passed
    }
}

/// A line without commands. The end of a line that was begun before can't begin one.
fn harmless(line: &[u8], has_begun: bool) -> Cow<'_, [u8]> {
    const BEGUN: &str = ".";
    let text = String::from_utf8_lossy(line);
    let whole = if has_begun { Cow::Owned(format!("{BEGUN}{text}")) } else { text };
    match without_commands(&whole) {
        Cow::Borrowed(_) => Cow::Borrowed(line),
        Cow::Owned(harmless) if has_begun => Cow::Owned(harmless.as_bytes()[BEGUN.len()..].to_vec()),
        Cow::Owned(harmless) => Cow::Owned(harmless.into_bytes()),
    }
}

impl<W: Write> Write for Guarded<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        if end > 0 && self.line.is_empty() {
            self.pass(&bytes[..end])?;
        } else if end > 0 {
            self.line.extend_from_slice(&bytes[..end]);
            self.pass_kept(0)?;
        }
        self.line.extend_from_slice(&bytes[end..]);
        if self.line.len() > LONGEST {
            self.pass_kept(KEPT)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass_kept(0)?;
        self.out.flush()
    }
}

impl<W: Write> Drop for Guarded<W> {
    fn drop(&mut self) {
        // As for any buffer, an error can only be reported by `flush`.
        let _ = self.pass_kept(0);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::{Guarded, LONGEST};

    fn passed(pieces: &[&str]) -> String {
        let mut out = Vec::new();
        let mut guarded = Guarded::new(&mut out);
        pieces.iter().for_each(|piece| guarded.write_all(piece.as_bytes()).expect("it is written"));
        drop(guarded);
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn commands_are_found_however_they_are_written() {
        assert_eq!(passed(&["a\n ::b\nc::d\n", ":", ":e\n"]), "a\n \\x3a:b\nc::d\n\\x3a:e\n");
        assert_eq!(passed(&["a #", "#", "vs", "o[x]", ""]), "a ##vso [x]");
        assert_eq!(passed(&["a", "::b"]), "a::b");
        let long = "x".repeat(LONGEST - 3);
        assert_eq!(passed(&[&long, "##vs", "o[x] ::y\n::z"]), format!("{long}##vso [x] ::y\n\\x3a:z"));
        assert_eq!(passed(&[&long, "yyyyyyyy", "::z\n"]), format!("{long}yyyyyyyy::z\n"));
    }

    #[test]
    fn an_unfinished_line_is_passed_on_when_it_is_flushed() {
        let mut out = Vec::new();
        let mut guarded = Guarded::new(&mut out);
        guarded.write_all(b"continue? ").expect("it is written");
        guarded.flush().expect("it is flushed");
        guarded.write_all(b"::no\n  ").expect("it is written");
        guarded.flush().expect("it is flushed");
        guarded.write_all(b"::yes\n").expect("it is written");
        drop(guarded);
        assert_eq!(String::from_utf8_lossy(&out), "continue? ::no\n  \\x3a:yes\n");
    }
}
