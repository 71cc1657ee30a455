//! Converts diagnostics and their places to the types of the document.

use cfg_diag::{LocPart, Location};

use super::{Diagnostic, Edit, File, Fix, Label, LocStep, Native, Position, Range, Related, Summary, next};
use crate::{FileReport, Sources};

impl<'a> File<'a> {
    /// One file's part of the document.
    pub fn new(file: &FileReport<'a>, sources: &Sources<'a>) -> Self {
        let diagnostics = file.diagnostics.iter().map(|diagnostic| Diagnostic::new(diagnostic, file, sources)).collect();
        Self {
            path: file.path,
            kind: file.kind,
            target: file.target,
            identity: file.identity,
            verdict: file.verdict,
            checks: file.checks,
            fixed: file.fixed.map(|made| &*made.fixed),
            changed: file.fixed.map(|made| &*made.changed),
            text: file.fixed.and_then(|made| made.text.as_deref()),
            diagnostics,
        }
    }
}

impl From<&crate::Summary> for Summary {
    fn from(summary: &crate::Summary) -> Self {
        let crate::Summary { files, errors, warnings, infos, rejected, accepted, .. } = *summary;
        Self { files, errors, warnings, infos, rejected, accepted }
    }
}

impl<'a> Diagnostic<'a> {
    /// A finding in the list of a file, whose places are in `sources`.
    pub fn new(diagnostic: &'a cfg_diag::Diagnostic, file: &FileReport<'_>, sources: &Sources<'a>) -> Self {
        let (path, range) = diagnostic.location.and_then(|location| Range::new(location, sources)).unzip();
        Self {
            code: diagnostic.code.code,
            name: diagnostic.code.name,
            severity: diagnostic.severity,
            message: &diagnostic.message,
            key: diagnostic.key.as_deref(),
            path: path.filter(|&path| path != file.path),
            range,
            labels: Label::all(diagnostic, sources),
            choices: &diagnostic.choices,
            related: diagnostic.related.iter().filter_map(|related| Related::new(related, sources)).collect(),
            native: diagnostic.native.as_ref().map(Native::new),
            fixes: diagnostic.fix.iter().chain(&diagnostic.other_fixes).filter_map(|fix| Fix::new(fix, sources)).collect(),
            next: next::of(diagnostic, file),
            help: diagnostic.help.as_deref(),
            url: diagnostic.code.url(),
            echo: diagnostic.is_echo,
            folded: diagnostic.folded.iter().map(|folded| Diagnostic::new(folded, file, sources)).collect(),
        }
    }
}

impl Range {
    /// The range of a location; `None` for a file that is not among the sources.
    pub fn of(location: Location, sources: &Sources<'_>) -> Option<Self> {
        Self::new(location, sources).map(|(_, range)| range)
    }

    /// The path and the range of a location; `None` for a file that is not among the sources.
    pub(crate) fn new<'a>(location: Location, sources: &Sources<'a>) -> Option<(&'a str, Self)> {
        let source = sources.get(location.file)?;
        let position = |offset: u32| {
            let offset = offset.min(source.text.len() as u32);
            let at = source.line_column(offset);
            Position { line: at.line + 1, column: at.column + 1, offset }
        };
        let start = position(location.span.start);
        let end = if location.span.is_empty() { start } else { position(location.span.end) };
        Some((source.path, Self { start, end }))
    }
}

impl<'a> Label<'a> {
    /// The labels of a finding, that of its main place first.
    fn all(diagnostic: &'a cfg_diag::Diagnostic, sources: &Sources<'a>) -> Vec<Self> {
        let primary = diagnostic.location.zip(diagnostic.label.as_deref()).map(|(location, text)| (location, text, true));
        let related = diagnostic.related.iter().map(|related| (related.location, &*related.message, false));
        let label = |(location, text, primary)| {
            let (path, range) = Range::new(location, sources)?;
            Some(Self { path, range, text, primary })
        };
        primary.into_iter().chain(related).filter_map(label).collect()
    }
}

impl<'a> Related<'a> {
    fn new(related: &'a cfg_diag::Related, sources: &Sources<'a>) -> Option<Self> {
        let (path, range) = Range::new(related.location, sources)?;
        Some(Self { path, range, message: &related.message })
    }
}

impl<'a> Native<'a> {
    pub(crate) fn new(native: &'a cfg_diag::Native) -> Self {
        let loc = native.loc.iter().map(|part| match part {
            LocPart::Key(key) => LocStep::Key(key),
            LocPart::Index(index) => LocStep::Index(*index),
        });
        Self { r#type: &native.kind, loc: loc.collect(), check: native.check.as_deref(), masked: native.masked }
    }
}

impl<'a> Fix<'a> {
    /// `None` if an edit is in an unknown file, because half a fix is useless.
    fn new(fix: &'a cfg_diag::Fix, sources: &Sources<'a>) -> Option<Self> {
        let edits = fix.edits.iter().map(|edit| {
            let (path, range) = Range::new(edit.location, sources)?;
            Some(Edit { path, range, new_text: &edit.new_text })
        });
        let lost = fix.lost.as_ref().map(|lost| &*lost.keys).unwrap_or_default();
        let (title, applicability, does) = (&*fix.title, fix.applicability, fix.does);
        Some(Self { title, applicability, does, lost, edits: edits.collect::<Option<_>>()? })
    }
}
