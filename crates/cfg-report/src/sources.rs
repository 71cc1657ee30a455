//! The texts that diagnostics refer to.

use std::sync::OnceLock;

use cfg_diag::{FileId, LineColumn, LineIndex, Location, PositionEncoding};

/// The paths and texts of the files of one report, by the [`FileId`]s that its diagnostics use.
///
/// A report has few files (a config, the files it is composed with, a registry), so they are in a list.
#[derive(Debug, Default)]
pub struct Sources<'a> {
    files: Vec<(FileId, Source<'a>)>,
}

impl<'a> Sources<'a> {
    /// A list without files.
    pub const fn new() -> Self {
        Self { files: Vec::new() }
    }

    /// A single file with the id `FileId(0)`.
    pub fn single(path: &'a str, text: &'a str) -> Self {
        let mut sources = Self::new();
        sources.insert(FileId(0), path, text);
        sources
    }

    /// Adds a file, replacing the one with this id.
    pub fn insert(&mut self, id: FileId, path: &'a str, text: &'a str) {
        let source = Source { path, text, index: OnceLock::new(), blocks: OnceLock::new() };
        match self.files.iter_mut().find(|(known, _)| *known == id) {
            Some(entry) => entry.1 = source,
            None => self.files.push((id, source)),
        }
    }

    /// The files with their paths and texts.
    pub(crate) fn files(&self) -> impl Iterator<Item = (FileId, &'a str, &'a str)> {
        self.files.iter().map(|(id, source)| (*id, source.path, source.text))
    }

    /// The text at a location; `None` for a file that was not added.
    pub fn text(&self, location: Location) -> Option<&'a str> {
        self.get(location.file)?.text.get(location.span.range())
    }

    /// The whole text of a file; `None` for one that was not added.
    pub fn whole(&self, file: FileId) -> Option<&'a str> {
        self.get(file).map(|source| source.text)
    }

    pub(crate) fn get(&self, id: FileId) -> Option<&Source<'a>> {
        self.files.iter().find(|(known, _)| *known == id).map(|(_, source)| source)
    }

    /// The path of the file, and the line and column (from 1) of a location's start; `None` for a file that was not added.
    pub fn place(&self, location: Location) -> Option<(&'a str, LineColumn)> {
        let source = self.get(location.file)?;
        let LineColumn { line, column } = source.line_column(location.span.start);
        Some((source.path, LineColumn { line: line + 1, column: column + 1 }))
    }
}

/// One file.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    pub(crate) path: &'a str,
    pub(crate) text: &'a str,
    index: OnceLock<LineIndex>,
    /// The number of characters before each block of the text, computed when a line is longer than a block.
    blocks: OnceLock<Vec<u32>>,
}

/// The number of bytes of a block.
const BLOCK: usize = 1024;

impl Source<'_> {
    /// The line and column in characters, from 0. An offset after the end is treated as the end.
    pub(crate) fn line_column(&self, offset: u32) -> LineColumn {
        let bytes = self.index().line_column(self.text, offset, PositionEncoding::Utf8);
        // The offset, moved to the start of its character.
        let start = self.line_start(bytes.line) as usize;
        let end = start + bytes.column as usize;
        let column = if end - start < BLOCK {
            self.text[start..end].chars().count()
        } else {
            // Counting each place in a long line from its start would be quadratic.
            self.characters_before(end) - self.characters_before(start)
        };
        LineColumn { line: bytes.line, column: column as u32 }
    }

    /// The number of characters that begin before an offset on a character boundary.
    fn characters_before(&self, offset: usize) -> usize {
        let begins = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        let blocks = self.blocks.get_or_init(|| {
            let blocks = self.text.as_bytes().chunks(BLOCK).map(begins);
            let sums = blocks.scan(0, |sum, block| {
                *sum += block as u32;
                Some(*sum)
            });
            std::iter::once(0).chain(sums).collect()
        });
        let block = offset / BLOCK;
        blocks[block] as usize + begins(&self.text.as_bytes()[block * BLOCK..offset])
    }

    /// The line around an offset, without its line break.
    pub(crate) fn line_around(&self, offset: u32) -> &str {
        let line = self.line_column(offset).line;
        let text = self.text.get(self.line_start(line) as usize..).unwrap_or_default();
        text.lines().next().unwrap_or_default()
    }

    /// The offset of a line's first byte; the end of the text for lines after the last.
    pub(crate) fn line_start(&self, line: u32) -> u32 {
        self.index().offset(self.text, LineColumn { line, column: 0 }, PositionEncoding::Utf8)
    }

    fn index(&self) -> &LineIndex {
        self.index.get_or_init(|| LineIndex::new(self.text))
    }
}

#[cfg(test)]
mod tests {
    use cfg_diag::FileId;

    use super::{BLOCK, Sources};

    #[test]
    fn columns_of_long_lines_are_those_of_counting() {
        let text = format!("é = 1\n{}\nb = 2\n", "\"ü𝄞x\", ".repeat(BLOCK));
        let sources = Sources::single("a.toml", &text);
        let source = sources.get(FileId(0)).expect("it was added");
        for offset in (0..text.len() + 3).filter(|offset| offset % 7 < 3 || *offset > text.len() - 20) {
            let offset = offset.min(text.len());
            let start = (0..=offset).rev().find(|&offset| text.is_char_boundary(offset)).expect("the start is one");
            let line = text[..start].matches('\n').count();
            let column = text[..start].rsplit('\n').next().unwrap_or_default().chars().count();
            let found = source.line_column(offset as u32);
            assert_eq!((found.line as usize, found.column as usize), (line, column), "{offset}");
        }
    }
}
