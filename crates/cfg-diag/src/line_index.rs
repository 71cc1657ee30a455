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
}

impl LineIndex {
    /// Finds the lines of `text`.
    pub fn new(text: &str) -> Self {
        // Most lines of configs are shorter, so the vector grows once at most.
        let mut starts = Vec::with_capacity(1 + text.len() / 24);
        starts.push(0);
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1));
        Self { starts }
    }

    /// The line and column of a byte offset of `text`, which must be the text of the index. An offset after the end counts as the end, one within a
    /// character as the character's start.
    pub fn line_column(&self, text: &str, offset: u32, encoding: PositionEncoding) -> LineColumn {
        let mut offset = (offset as usize).min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|&start| start as usize <= offset) - 1;
        let before = &text[self.starts[line] as usize..offset];
        LineColumn { line: line as u32, column: width(before, encoding) }
    }

    /// The byte offset of a line and column; a column after the line's end counts as the end.
    pub fn offset(&self, text: &str, position: LineColumn, encoding: PositionEncoding) -> u32 {
        let Some(&start) = self.starts.get(position.line as usize) else {
            return text.len() as u32;
        };
        let end = self.starts.get(position.line as usize + 1).map_or(text.len(), |&next| next as usize);
        let line = text[start as usize..end].trim_end_matches(['\n', '\r']);
        let mut column = 0;
        for (at, character) in line.char_indices() {
            if column >= position.column {
                return start + at as u32;
            }
            column += width(character.encode_utf8(&mut [0; 4]), encoding);
        }
        start + line.len() as u32
    }
}

fn width(text: &str, encoding: PositionEncoding) -> u32 {
    (match encoding {
        PositionEncoding::Utf8 => text.len(),
        PositionEncoding::Utf16 => text.encode_utf16().count(),
        PositionEncoding::Utf32 => text.chars().count(),
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
}
