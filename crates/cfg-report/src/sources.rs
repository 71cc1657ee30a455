//! The texts that diagnostics point into.

use std::sync::OnceLock;

use cfg_diag::{FileId, LineColumn, LineIndex, Location, PositionEncoding};

/// Paths and texts of the files of one report, by the [`FileId`]s that its diagnostics use.
///
/// One report names few files (a config, what it is composed with, a registry), so they lie in a list.
#[derive(Debug, Default)]
pub struct Sources<'a> {
    files: Vec<(FileId, Source<'a>)>,
}

impl<'a> Sources<'a> {
    /// No files yet.
    pub const fn new() -> Self {
        Self { files: Vec::new() }
    }

    /// One file, known as `FileId(0)`.
    pub fn single(path: &'a str, text: &'a str) -> Self {
        let mut sources = Self::new();
        sources.insert(FileId(0), path, text);
        sources
    }

    /// Adds a file, in place of the one that had this id.
    pub fn insert(&mut self, id: FileId, path: &'a str, text: &'a str) {
        let source = Source { path, text, index: OnceLock::new() };
        match self.files.iter_mut().find(|(known, _)| *known == id) {
            Some(entry) => entry.1 = source,
            None => self.files.push((id, source)),
        }
    }

    /// The text at a location; `None` for a file that was not added.
    pub fn text(&self, location: Location) -> Option<&'a str> {
        self.get(location.file)?.text.get(location.span.range())
    }

    pub(crate) fn get(&self, id: FileId) -> Option<&Source<'a>> {
        self.files.iter().find(|(known, _)| *known == id).map(|(_, source)| source)
    }

    /// The path of the file, and line and column (from 1) where the location starts; `None` for a file that was not added.
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
}

impl Source<'_> {
    /// Line and column in characters, from 0. An offset behind the end is taken as the end.
    pub(crate) fn line_column(&self, offset: u32) -> LineColumn {
        self.index().line_column(self.text, offset, PositionEncoding::Utf32)
    }

    /// The offset of a line's first byte; the end of the text for lines behind the last.
    pub(crate) fn line_start(&self, line: u32) -> u32 {
        self.index().offset(self.text, LineColumn { line, column: 0 }, PositionEncoding::Utf8)
    }

    fn index(&self) -> &LineIndex {
        self.index.get_or_init(|| LineIndex::new(self.text))
    }
}
