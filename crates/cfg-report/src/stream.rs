//! Writes file after file.

use std::{
    io::{self, Write},
    sync::Arc,
};

use cfg_diag::{Diagnostic, Severity, one_line};

use crate::{FileReport, Format, Root, Sources, Style, Summary, concise, full, github, gitlab, json, junit, sarif};

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
        match self.format {
            Format::Full => {
                full::write(out, &self.style, self.shown, file, sources)?;
                write_checks(out, file)
            }
            Format::Concise => {
                concise::write(out, &self.style, self.shown, file, sources)?;
                write_checks(out, file)
            }
            Format::Json => json::write_file(out, file, sources),
            Format::JsonLines => json::write_lines(out, file, sources),
            Format::Github => github::write(out, file, sources),
            Format::Gitlab => gitlab::write(out, file, sources),
            Format::Junit => junit::write(out, self.failing, file, sources),
            Format::Sarif => sarif::write(out, file, sources),
        }
    }
}

/// Writes the results of prime-rl's own checks of a file.
fn write_checks(out: &mut Vec<u8>, file: &FileReport<'_>) -> io::Result<()> {
    match file.checks {
        Some(checks) => writeln!(out, "{}: {}", one_line(file.path), one_line(&checks.sentence())),
        None => Ok(()),
    }
}

impl Format {
    /// Whether people read it: it has a closing sentence, and findings that are not shown are counted there.
    #[must_use]
    pub const fn is_for_people(self) -> bool {
        match self {
            Self::Full | Self::Concise => true,
            Self::Json | Self::JsonLines | Self::Github | Self::Gitlab | Self::Junit | Self::Sarif => false,
        }
    }

    /// Whether a CI system reads it, which looks for the files in its own folder.
    #[must_use]
    pub const fn is_for_ci(self) -> bool {
        matches!(self, Self::Github | Self::Gitlab | Self::Junit | Self::Sarif)
    }

    /// Writes what precedes the first file. `automation` is the id of a SARIF run.
    fn write_begin(self, out: &mut Vec<u8>, automation: &str) -> io::Result<()> {
        match self {
            Self::Full | Self::Concise | Self::JsonLines | Self::Github => Ok(()),
            Self::Json => out.write_all(json::BEGIN),
            Self::Gitlab => out.write_all(gitlab::BEGIN),
            Self::Junit => out.write_all(junit::BEGIN),
            Self::Sarif => sarif::write_begin(out, automation),
        }
    }

    /// The separator of two files with content.
    const fn separator(self) -> &'static [u8] {
        match self {
            Self::Full | Self::Concise | Self::JsonLines | Self::Github | Self::Junit => b"",
            Self::Json | Self::Gitlab | Self::Sarif => b",\n",
        }
    }

    /// Writes what follows the last file. `closing` is for people.
    fn write_end(self, out: &mut impl Write, of_command: &[u8], summary: &Summary, closing: &str) -> io::Result<()> {
        match self {
            Self::Full | Self::Concise if closing.is_empty() => Ok(()),
            Self::Full | Self::Concise => writeln!(out, "{closing}"),
            Self::JsonLines | Self::Github => Ok(()),
            Self::Json => json::write_end(out, of_command, summary),
            Self::Gitlab => out.write_all(gitlab::END),
            Self::Junit => out.write_all(junit::END),
            Self::Sarif => sarif::write_end(out, summary),
        }
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
        if self.reporter.format == Format::Json {
            json::write_of_command(&mut self.of_command, &report)?;
        } else {
            let mut text = Vec::new();
            reporter.render_into(&mut text, &report, &Sources::new())?;
            self.text(&text)?;
        }
        self.summary += Summary { files: 0, files_with_findings: 0, ..reporter.summary(&report) };
        Ok(())
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
        self.reporter.format.write_end(&mut self.out, &self.of_command, &self.summary, closing)?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn text(&mut self, text: &[u8]) -> io::Result<()> {
        self.begin()?;
        if text.is_empty() {
            return Ok(());
        }
        if self.has_text {
            self.out.write_all(self.reporter.format.separator())?;
        }
        self.has_text = true;
        self.out.write_all(text)
    }

    fn begin(&mut self) -> io::Result<()> {
        if !self.has_begun {
            self.has_begun = true;
            let mut begin = Vec::new();
            self.reporter.format.write_begin(&mut begin, &self.reporter.automation)?;
            self.out.write_all(&begin)?;
        }
        Ok(())
    }
}
