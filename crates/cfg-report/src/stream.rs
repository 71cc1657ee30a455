//! Writes file after file.

use std::{
    io::{self, Write},
    sync::Arc,
};

use cfg_diag::{Diagnostic, Severity};

use crate::{
    FileReport, Format, Root, Sources, Style, Summary,
    layout::{Audience, Closing, Look},
};

/// Renders files in one format. It has no state, so that many threads can share it.
#[derive(Clone, Debug)]
pub struct Reporter {
    format: Format,
    style: Style,
    failing: Severity,
    shown: Severity,
    /// From where CI systems read paths.
    root: Option<Arc<Root>>,
    /// The id of a SARIF run.
    automation: Arc<str>,
}

impl Default for Reporter {
    fn default() -> Self {
        Self::new(Format::default(), Style::default())
    }
}

/// One rendered file, for [`Stream::rendered`].
#[derive(Clone, Debug, Default)]
pub struct Rendered {
    text: Vec<u8>,
    summary: Summary,
}

impl Rendered {
    /// The counts of this file.
    pub const fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Whether it has findings that are shown.
    pub const fn shows_findings(&self) -> bool {
        self.summary.files_with_findings > self.summary.files_with_hidden_alone
    }
}

impl Reporter {
    /// A reporter for a format; `style` only affects the formats for people.
    pub fn new(format: Format, style: Style) -> Self {
        Self { format, style, failing: Severity::Error, shown: Severity::Info, root: None, automation: Arc::from("cfg/") }
    }

    /// The folder from which paths are named in the formats of CI systems, and the id of a SARIF run.
    #[must_use]
    pub fn from_root(mut self, root: Option<Root>, automation: &str) -> Self {
        self.root = root.map(Arc::new);
        self.automation = Arc::from(automation);
        self
    }

    /// The severity from which on a finding is a failure, in formats that distinguish failures, such as `JUnit`.
    #[must_use]
    pub fn failing_at(mut self, severity: Severity) -> Self {
        self.failing = severity;
        self
    }

    /// The severity from which on findings are shown to people; the others are counted. Formats for programs contain all of them.
    #[must_use]
    pub fn showing_from(mut self, severity: Severity) -> Self {
        self.shown = severity;
        self
    }

    /// Renders one file, to be written later, so that many files can be rendered in parallel and written in order.
    pub fn render(&self, file: &FileReport<'_>, sources: &Sources<'_>) -> io::Result<Rendered> {
        let mut text = Vec::new();
        self.render_into(&mut text, file, sources)?;
        Ok(Rendered { text, summary: self.summary(file) })
    }

    /// Starts writing to `out`. Every file makes at most two calls of `write_all`, so a buffer is only useful for many small reports.
    pub fn stream<W: Write>(self, out: W) -> Stream<W> {
        Stream {
            reporter: self,
            out,
            summary: Summary::NONE,
            has_begun: false,
            has_text: false,
            of_command: Vec::new(),
            buffer: Vec::new(),
        }
    }

    /// The counts of a file.
    fn summary(&self, file: &FileReport<'_>) -> Summary {
        let all = Summary::of(file);
        if self.format.is_for_people() { all.hiding_below(self.shown, file) } else { all }
    }

    fn render_into(&self, out: &mut Vec<u8>, file: &FileReport<'_>, sources: &Sources<'_>) -> io::Result<()> {
        let Some(root) = self.root.as_deref().filter(|_| self.format.is_for_ci()) else {
            return self.render_named(out, file, sources);
        };
        let path = root.of(file.path);
        let files: Vec<_> = sources.files().map(|(id, path, text)| (id, root.of(path), text)).collect();
        let mut named = Sources::new();
        files.iter().for_each(|(id, path, text)| named.insert(*id, path, text));
        self.render_named(out, &FileReport { path: &path, ..*file }, &named)
    }

    /// Renders a file with the paths as they are.
    fn render_named(&self, out: &mut Vec<u8>, file: &FileReport<'_>, sources: &Sources<'_>) -> io::Result<()> {
        let look = Look { style: &self.style, shown: self.shown, failing: self.failing };
        self.format.layout().file(out, look, file, sources)
    }
}

impl Format {
    /// Whether people read it: it has a closing sentence, and findings that are not shown are counted there.
    #[must_use]
    pub fn is_for_people(self) -> bool {
        self.layout().audience() == Audience::People
    }

    /// Whether a CI system reads it, which looks for the files in its own folder.
    #[must_use]
    pub fn is_for_ci(self) -> bool {
        self.layout().audience() == Audience::Ci
    }
}

/// A report in progress. Without [`finish`](Self::finish), a document of JSON or XML is incomplete.
#[derive(Debug)]
pub struct Stream<W> {
    reporter: Reporter,
    out: W,
    summary: Summary,
    /// Whether the beginning of the document has been written.
    has_begun: bool,
    /// Whether any file had content.
    has_text: bool,
    /// The findings about the command itself, in JSON.
    of_command: Vec<u8>,
    buffer: Vec<u8>,
}

impl<W: Write> Stream<W> {
    /// Writes one file.
    pub fn file(&mut self, file: &FileReport<'_>, sources: &Sources<'_>) -> io::Result<()> {
        let mut text = std::mem::take(&mut self.buffer);
        text.clear();
        self.reporter.render_into(&mut text, file, sources)?;
        self.text(&text)?;
        self.buffer = text;
        self.summary += self.reporter.summary(file);
        Ok(())
    }

    /// Writes a file that a [`Reporter`] of the same format has rendered.
    pub fn rendered(&mut self, file: &Rendered) -> io::Result<()> {
        self.text(&file.text)?;
        self.summary += file.summary;
        Ok(())
    }

    /// Writes findings about the command itself, which are in no file, whatever their severity. `name` is in the place of a path in formats in
    /// which each finding has one.
    pub fn about_command(&mut self, name: &str, diagnostics: &[Diagnostic]) -> io::Result<()> {
        let reporter = self.reporter.clone().showing_from(Severity::Info);
        let report = FileReport::about(name, diagnostics);
        if !self.reporter.format.layout().of_command(&mut self.of_command, &report)? {
            let mut text = Vec::new();
            reporter.render_into(&mut text, &report, &Sources::new())?;
            self.text(&text)?;
        }
        self.summary += Summary { files: 0, files_with_findings: 0, ..reporter.summary(&report) };
        Ok(())
    }

    /// Counts a file as one with findings, which are reported elsewhere.
    pub const fn count_file_with_findings(&mut self) {
        self.summary.files_with_findings += 1;
    }

    /// Counts findings that a baseline accepts, which are not in the report.
    pub const fn accept(&mut self, findings: usize) {
        self.summary.accepted += findings;
    }

    /// The counts so far.
    pub const fn summary(&self) -> Summary {
        self.summary
    }

    /// Ends the report and returns the writer, flushed. `closing` is the last line in formats for people, unless it is empty.
    pub fn finish(mut self, closing: &str) -> io::Result<W> {
        self.begin()?;
        let closing = Closing { of_command: &self.of_command, summary: &self.summary, sentence: closing };
        self.reporter.format.layout().end(&mut self.out, closing)?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn text(&mut self, text: &[u8]) -> io::Result<()> {
        self.begin()?;
        if text.is_empty() {
            return Ok(());
        }
        if self.has_text {
            self.out.write_all(self.reporter.format.layout().separator())?;
        }
        self.has_text = true;
        self.out.write_all(text)
    }

    fn begin(&mut self) -> io::Result<()> {
        if !self.has_begun {
            self.has_begun = true;
            let mut begin = Vec::new();
            self.reporter.format.layout().begin(&mut begin, &self.reporter.automation)?;
            self.out.write_all(&begin)?;
        }
        Ok(())
    }
}
