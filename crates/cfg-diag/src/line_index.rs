//! Converts byte offsets to lines and columns, and back.

/// The unit of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PositionEncoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units, the default of the language server protocol.
    Utf16,
    /// Characters (Unicode scalar values).
    Utf32,
}

/// A line and a column, both counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineColumn {
    /// Lines before this one.
    pub line: u32,
    /// Units before this one in its line, in the unit of the [`PositionEncoding`].
    pub column: u32,
}

/// The line starts of one text. Lines end with `\n`; a `\r` before it belongs to the line.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
    /// The lines of more than [`STEP`] bytes, in their order: a file can be one line, in which many columns are asked for.
    long: Vec<LongLine>,
}

/// The columns at each [`STEP`] bytes of a line.
#[derive(Clone, Debug)]
struct LongLine {
    line: usize,
    columns: Vec<Columns>,
}

/// The numbers of bytes, of characters and of UTF-16 code units that begin before a byte of a line.
#[derive(Clone, Copy, Debug, Default)]
struct Columns {
    bytes: u32,
    characters: u32,
    units: u32,
}

/// The number of bytes of a line that are counted again for each column.
const STEP: usize = 1024;

impl LineIndex {
    /// Finds the lines of `text`.
    pub fn new(text: &str) -> Self {
        // Most lines of configs are shorter, so the vector grows once at most.
        let mut starts = Vec::with_capacity(1 + text.len() / 24);
        starts.push(0);
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1));
        let long = if text.len() > STEP { long_lines(text.as_bytes(), &starts) } else { Vec::new() };
        Self { starts, long }
    }

    /// The line and column of a byte offset of `text`, which must be the text of the index. An offset after the end counts as the end, one within a
    /// character as the character's start.
    pub fn line_column(&self, text: &str, offset: u32, encoding: PositionEncoding) -> LineColumn {
        let mut offset = (offset as usize).min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|&start| start as usize <= offset) - 1;
        let start = self.starts[line] as usize;
        let known = self.columns(line).get((offset - start) / STEP).copied().unwrap_or_default();
        let from = start + known.bytes as usize;
        LineColumn { line: line as u32, column: known.of(encoding) + width(&text.as_bytes()[from..offset], encoding) }
    }

    /// The byte offset of a line and column; a column after the line's end, which is before its `\r`, counts as the end.
    pub fn offset(&self, text: &str, position: LineColumn, encoding: PositionEncoding) -> u32 {
        let Some(&start) = self.starts.get(position.line as usize) else {
            return text.len() as u32;
        };
        let end = self.starts.get(position.line as usize + 1).map_or(text.len(), |&next| next as usize);
        let line = &text[start as usize..end];
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let columns = self.columns(position.line as usize);
        let behind = columns.partition_point(|columns| columns.of(encoding) <= position.column);
        let known = columns[..behind].last().copied().unwrap_or_default();
        let mut column = known.of(encoding);
        // A character that begins before this byte has been counted, in bytes in part.
        let mut from = (known.bytes as usize).min(line.len());
        while !line.is_char_boundary(from) {
            from += 1;
            column += u32::from(encoding == PositionEncoding::Utf8);
        }
        for (at, character) in line[from..].char_indices() {
            if column >= position.column {
                return start + (from + at) as u32;
            }
            column += width(character.encode_utf8(&mut [0; 4]).as_bytes(), encoding);
        }
        start + line.len() as u32
    }

    /// What is known of a line; nothing if it is short.
    fn columns(&self, line: usize) -> &[Columns] {
        let found = self.long.binary_search_by_key(&line, |long| long.line);
        found.map_or(&[], |at| &self.long[at].columns)
    }
}

impl Columns {
    const fn of(self, encoding: PositionEncoding) -> u32 {
        match encoding {
            PositionEncoding::Utf8 => self.bytes,
            PositionEncoding::Utf16 => self.units,
            PositionEncoding::Utf32 => self.characters,
        }
    }
}

fn long_lines(text: &[u8], starts: &[u32]) -> Vec<LongLine> {
    let ends = starts[1..].iter().map(|start| *start as usize).chain([text.len()]);
    let lines = starts.iter().zip(ends).enumerate().filter(|(_, (start, end))| end - **start as usize > STEP);
    let columns = |start: usize, end: usize| {
        let mut at = Columns::default();
        let mut columns = vec![at];
        for step in text[start..end].chunks_exact(STEP) {
            at.bytes += STEP as u32;
            at.characters += width(step, PositionEncoding::Utf32);
            at.units += width(step, PositionEncoding::Utf16);
            columns.push(at);
        }
        columns
    };
    lines.map(|(line, (start, end))| LongLine { line, columns: columns(*start as usize, end) }).collect()
}

/// The units of the characters that begin in these bytes of a text.
fn width(bytes: &[u8], encoding: PositionEncoding) -> u32 {
    let begins = |byte: &&u8| **byte & 0xc0 != 0x80;
    (match encoding {
        PositionEncoding::Utf8 => bytes.len(),
        // A character of four bytes has two units.
        PositionEncoding::Utf16 => bytes.iter().filter(begins).count() + bytes.iter().filter(|byte| **byte >= 0xf0).count(),
        PositionEncoding::Utf32 => bytes.iter().filter(begins).count(),
    }) as u32
}

#[cfg(test)]
mod tests {
    use super::{LineColumn, LineIndex, PositionEncoding};

    #[test]
    fn columns_count_the_requested_units() {
        let text = "a = 1\r\nname = \"ü𝄞x\"\n";
        let index = LineIndex::new(text);
        let x = text.find('x').expect("it is there") as u32;
        for (encoding, column) in [(PositionEncoding::Utf8, 14), (PositionEncoding::Utf16, 11), (PositionEncoding::Utf32, 10)] {
            let position = LineColumn { line: 1, column };
            assert_eq!(index.line_column(text, x, encoding), position);
            assert_eq!(index.offset(text, position, encoding), x);
        }
    }

    #[test]
    fn positions_outside_the_text_are_clamped_to_it() {
        let text = "é\nb";
        let index = LineIndex::new(text);
        assert_eq!(index.line_column(text, 1, PositionEncoding::Utf8), LineColumn { line: 0, column: 0 });
        assert_eq!(index.line_column(text, 99, PositionEncoding::Utf8), LineColumn { line: 1, column: 1 });
        assert_eq!(index.offset(text, LineColumn { line: 0, column: 99 }, PositionEncoding::Utf16), 2);
        assert_eq!(index.offset(text, LineColumn { line: 9, column: 0 }, PositionEncoding::Utf16), 4);
    }

    #[test]
    fn columns_of_a_long_line_are_those_that_are_counted_from_its_beginning() {
        let piece = "a = \"é\u{1d11e}\u{2028}x\", ";
        let text = format!("short = 1\n{}\r\nlast = {}", piece.repeat(300), "é".repeat(2_000));
        let index = LineIndex::new(&text);
        for encoding in [PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32] {
            for (at, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let start = crate::line_start(&text, at);
                let before = &text[start..at];
                let column = match encoding {
                    PositionEncoding::Utf8 => before.len(),
                    PositionEncoding::Utf16 => before.encode_utf16().count(),
                    PositionEncoding::Utf32 => before.chars().count(),
                };
                let position = index.line_column(&text, at as u32, encoding);
                assert_eq!(position.column, column as u32, "{encoding:?} {at}");
                // The end of a line is before its `\r`.
                if !text[at..].starts_with('\n') {
                    assert_eq!(index.offset(&text, position, encoding), at as u32, "{encoding:?} {at}");
                }
            }
        }
    }

    #[test]
    fn all_columns_of_one_line_are_found_in_time_that_grows_with_it() {
        let text = "x".repeat(2 << 20);
        let index = LineIndex::new(&text);
        let columns = (0..text.len() as u32).step_by(64);
        let sum: u64 = columns.map(|at| u64::from(index.line_column(&text, at, PositionEncoding::Utf16).column)).sum();
        assert_eq!(sum, (0..2_u64 << 20).step_by(64).sum());
    }
}
