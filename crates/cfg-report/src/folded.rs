//! A writer whose lines fit the columns of a terminal: a longer line goes on below, indented.

use std::io::{self, Write};

use crate::text::{Unit, units};

/// Passes on lines of at most `width` columns. A line is broken between words only, and goes on below its second column, if it has one, or else a
/// little to the right of its beginning. A word that is wider stays whole, so that keys and paths can be copied.
#[derive(Debug)]
pub struct Folded<W: Write> {
    out: W,
    /// `None` if lines are passed on as they are.
    width: Option<usize>,
    /// The end of what was written, which has no line break.
    line: Vec<u8>,
}

impl<W: Write> Folded<W> {
    /// Lines for `out`. The end of the last line is passed on with [`flush`](Write::flush), or when this is dropped.
    pub const fn new(out: W, width: Option<usize>) -> Self {
        Self { out, width, line: Vec::new() }
    }

    fn pass(&mut self) -> io::Result<()> {
        let kept = std::mem::take(&mut self.line);
        match (self.width, str::from_utf8(&kept)) {
            (Some(width), Ok(line)) => self.out.write_all(fold(line, width).as_bytes()),
            _ => self.out.write_all(&kept),
        }
    }
}

impl<W: Write> Write for Folded<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.width.is_none() {
            return self.out.write(bytes);
        }
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(line);
            if line.ends_with(b"\n") {
                self.pass()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass()?;
        self.out.flush()
    }
}

impl<W: Write> Drop for Folded<W> {
    fn drop(&mut self) {
        // As for any buffer, an error can only be reported by `flush`.
        let _ = self.pass();
    }
}

/// The widest part of a line that is repeated as the indentation of the lines below it, as a divisor of the width.
const WIDEST_INDENT: usize = 2;

/// A line, with or without its line break, as lines of at most `width` columns. Colours are kept.
#[must_use]
pub fn fold(line: &str, width: usize) -> String {
    let (text, end) = line.strip_suffix('\n').map_or((line, ""), |text| (text, "\n"));
    let units = units(text);
    if units.iter().map(Unit::all_columns).sum::<usize>() <= width {
        return line.to_owned();
    }
    let indent = hanging(&units, width);
    folded(&units, width, indent) + end
}

/// A paragraph as lines of at most `width` columns, those after the first one indented.
#[must_use]
pub fn fold_paragraph(line: &str, width: usize, indent: usize) -> String {
    folded(&units(line), width, indent)
}

fn folded(units: &[Unit], width: usize, indent: usize) -> String {
    let mut folded = String::new();
    let mut used = 0;
    for (index, unit) in units.iter().enumerate() {
        // What follows two blanks is a column of its own, which is broken only if it is wider than a line; and a mark stays with its text.
        let is_column = unit.blanks > 1 && used + unit.blanks != indent;
        let next_column = || units[index + 1..].iter().take_while(|next| next.blanks == 1).map(Unit::all_columns).sum::<usize>();
        let wanted = unit.all_columns() + if is_column { next_column() } else { 0 };
        let is_mark = |first: &Unit| first.columns == 1 && !first.text.contains(char::is_alphanumeric);
        let is_after_mark = index == 1 && is_mark(&units[0]);
        if index > 0 && !is_after_mark && used > indent && used + wanted > width {
            folded.push('\n');
            folded.extend(std::iter::repeat_n(' ', indent));
            used = indent;
        } else {
            folded.extend(std::iter::repeat_n(' ', unit.blanks));
            used += unit.blanks;
        }
        folded.push_str(&unit.text);
        used += unit.columns;
    }
    folded
}

/// The column below which a line goes on: that of its second part, which follows two blanks or a mark, or else two more than its own.
fn hanging(units: &[Unit], width: usize) -> usize {
    // The beginning and the end of a colour have no width: the blanks on both sides of one are one gap.
    let mut blanks = 0;
    let mut words = units.iter().filter_map(|unit| {
        blanks += unit.blanks;
        (unit.columns > 0).then(|| (std::mem::take(&mut blanks), unit))
    });
    let Some((start, first)) = words.next() else { return 0 };
    let mut column = start + first.columns;
    for (blanks, unit) in words {
        if blanks > 1 && column + blanks <= width / WIDEST_INDENT {
            return column + blanks;
        }
        if blanks > 1 {
            break;
        }
        column += blanks + unit.columns;
    }
    let digits = first.text.split('\x1b').next().unwrap_or_default();
    let is_number = first.columns < 6 && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    start + if is_number { first.columns + 1 } else { 2 }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::{Folded, fold, fold_paragraph};

    #[test]
    fn a_line_breaks_between_words_and_goes_on_below_its_second_column() {
        assert_eq!(fold("short\n", 10), "short\n");
        assert_eq!(fold("one two three\n", 9), "one two\n  three\n");
        assert_eq!(fold("Disk   at most 12 of all\n", 18), "Disk   at most 12\n       of all\n");
        assert_eq!(fold("   22 orchestrator.env is moved", 26), "   22 orchestrator.env is\n      moved");
        assert_eq!(fold("- a/long/path.toml  it is long", 20), "- a/long/path.toml\n  it is long");
        assert_eq!(fold("  + a.long.key = 1  line 71", 24), "  + a.long.key = 1\n    line 71");
        assert_eq!(fold("  + a.very.long.key.of.all = 1", 20), "  + a.very.long.key.of.all\n    = 1");
        assert_eq!(fold_paragraph("one two three", 9, 0), "one two\nthree");
    }

    #[test]
    fn a_wide_word_a_number_with_its_unit_and_a_short_command_stay_whole() {
        assert_eq!(fold("see configs/very/long.toml b", 10), "see\n  configs/very/long.toml\n  b");
        assert_eq!(fold("it needs 12.3 GiB", 14), "it needs\n  12.3 GiB");
        assert_eq!(fold("now run `cfg plan x` twice", 18), "now run\n  `cfg plan x`\n  twice");
        assert_eq!(fold("漢字 漢字", 8), "漢字\n  漢字");
    }

    #[test]
    fn colours_have_no_width() {
        assert_eq!(fold("\x1b[1mone\x1b[0m two", 7), "\x1b[1mone\x1b[0m two");
        assert_eq!(fold("\x1b[1mone two\x1b[0m", 6), "\x1b[1mone\n  two\x1b[0m");
        assert_eq!(fold("\x1b[1mDisk  \x1b[0m  at most 12", 16), "\x1b[1mDisk  \x1b[0m  at most\n        12");
        assert_eq!(fold("\x1b[34m   22\x1b[0m one two three", 14), "\x1b[34m   22\x1b[0m one two\n      three");
    }

    #[test]
    fn lines_may_be_written_in_pieces_and_a_question_is_not_held_back() {
        let mut out = Vec::new();
        let mut folded = Folded::new(&mut out, Some(9));
        let second = "two";
        write!(folded, "one {second} ").and_then(|()| writeln!(folded, "three")).expect("it is written");
        write!(folded, "Go on? ").and_then(|()| folded.flush()).expect("it is written");
        drop(folded);
        assert_eq!(String::from_utf8_lossy(&out), "one two\n  three\nGo on? ");
        let mut out = Vec::new();
        Folded::new(&mut out, None).write_all(b"one two three").expect("it is written");
        assert_eq!(out, b"one two three");
    }
}
