//! File after file onto a writer.

use std::io::{self, Write};

use crate::{FileReport, Format, Sources, Style, Summary, concise, full, json};

/// Renders files in one format. It holds no state, so that many threads may share one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reporter {
    format: Format,
    style: Style,
}

/// One file, rendered; [`Stream::rendered`] takes it.
#[derive(Clone, Debug, Default)]
pub struct Rendered {
    text: Vec<u8>,
    summary: Summary,
}

impl Rendered {
    /// What was counted in this file.
    pub const fn summary(&self) -> &Summary {
        &self.summary
    }
}

impl Reporter {
    /// A reporter for a format; `style` has no part in JSON.
    pub const fn new(format: Format, style: Style) -> Self {
        Self { format, style }
    }

    /// Renders one file, to be written later: many files can be rendered at once, and written in their order.
    pub fn render(&self, file: &FileReport<'_>, sources: &Sources<'_>) -> io::Result<Rendered> {
        let mut text = Vec::new();
        self.render_into(&mut text, file, sources)?;
        Ok(Rendered { text, summary: Summary::of(file) })
    }

    /// Starts writing to `out`. Every file makes one call of `write_all`, so a buffer pays only for many small reports.
    pub const fn stream<W: Write>(self, out: W) -> Stream<W> {
        Stream { reporter: self, out, summary: None, buffer: Vec::new() }
    }

    fn render_into(&self, out: &mut Vec<u8>, file: &FileReport<'_>, sources: &Sources<'_>) -> io::Result<()> {
        match self.format {
            Format::Full => full::write(out, &self.style, file, sources),
            Format::Concise => concise::write(out, &self.style, file, sources),
            Format::Json => json::write_file(out, file, sources),
        }
    }
}

/// A report under way. Without [`finish`](Self::finish) a JSON document stays open.
#[derive(Debug)]
pub struct Stream<W> {
    reporter: Reporter,
    out: W,
    /// `None` until the first file.
    summary: Option<Summary>,
    buffer: Vec<u8>,
}

impl<W: Write> Stream<W> {
    /// Writes one file.
    pub fn file(&mut self, file: &FileReport<'_>, sources: &Sources<'_>) -> io::Result<()> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        self.separate(&mut buffer);
        self.reporter.render_into(&mut buffer, file, sources)?;
        self.out.write_all(&buffer)?;
        self.buffer = buffer;
        self.count(Summary::of(file));
        Ok(())
    }

    /// Writes a file that a [`Reporter`] of the same format has rendered.
    pub fn rendered(&mut self, file: &Rendered) -> io::Result<()> {
        let mut before = std::mem::take(&mut self.buffer);
        before.clear();
        self.separate(&mut before);
        self.out.write_all(&before)?;
        self.out.write_all(&file.text)?;
        self.buffer = before;
        self.count(file.summary);
        Ok(())
    }

    /// What was written so far.
    pub fn summary(&self) -> Summary {
        self.summary.unwrap_or_default()
    }

    /// Ends the report and returns the writer, flushed. `closing` is written as a last line where people read, not where
    /// programs do, and not when it is empty.
    pub fn finish(mut self, closing: &str) -> io::Result<W> {
        let summary = self.summary();
        match self.reporter.format {
            Format::Json => json::write_end(&mut self.out, self.summary.is_none(), &summary)?,
            Format::Full | Format::Concise if closing.is_empty() => {}
            Format::Full | Format::Concise => writeln!(self.out, "{closing}")?,
        }
        self.out.flush()?;
        Ok(self.out)
    }

    fn separate(&self, out: &mut Vec<u8>) {
        if self.reporter.format == Format::Json {
            out.extend_from_slice(if self.summary.is_none() { json::BEGIN } else { b",\n" });
        }
    }

    fn count(&mut self, file: Summary) {
        *self.summary.get_or_insert_default() += file;
    }
}
