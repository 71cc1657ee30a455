//! The code quality report of GitLab, a subset of Code Climate's issues.

use std::io::{self, Write};

use cfg_diag::{Diagnostic, Severity};
use serde::Serialize;

use crate::fingerprint::write_each;
use crate::json::{Position, Range};
use crate::layout::{Audience, Closing, Layout, Look};
use crate::plain::notes;
use crate::{FileReport, Sources};

/// An array of issues.
pub(crate) struct Gitlab;

impl Layout for Gitlab {
    fn audience(&self) -> Audience {
        Audience::Ci
    }

    fn begin(&self, out: &mut Vec<u8>, _: &str) -> io::Result<()> {
        out.write_all(b"[\n")
    }

    fn file(&self, out: &mut Vec<u8>, _: Look<'_>, file: &FileReport<'_>, sources: &Sources<'_>) -> io::Result<()> {
        write_each(out, file, sources, |diagnostic, fingerprint| Issue::new(diagnostic, fingerprint, file, sources))
    }

    fn separator(&self) -> &'static [u8] {
        b",\n"
    }

    fn end(&self, out: &mut dyn Write, _: Closing<'_>) -> io::Result<()> {
        out.write_all(b"\n]\n")
    }
}

#[derive(Serialize)]
struct Issue<'a> {
    r#type: &'static str,
    check_name: &'static str,
    description: String,
    content: Content,
    categories: [&'static str; 1],
    fingerprint: String,
    severity: &'static str,
    location: IssueLocation<'a>,
}

#[derive(Serialize)]
struct Content {
    body: String,
}

#[derive(Serialize)]
struct IssueLocation<'a> {
    path: &'a str,
    lines: Lines,
    #[serde(skip_serializing_if = "Option::is_none")]
    positions: Option<Positions>,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
    end: u32,
}

#[derive(Serialize)]
struct Positions {
    begin: LineColumn,
    end: LineColumn,
}

#[derive(Serialize)]
struct LineColumn {
    line: u32,
    column: u32,
}

impl<'a> Issue<'a> {
    fn new(diagnostic: &'a Diagnostic, fingerprint: String, file: &FileReport<'a>, sources: &Sources<'a>) -> Self {
        let severity = match diagnostic.severity {
            Severity::Error => "major",
            Severity::Warning => "minor",
            Severity::Info => "info",
        };
        let place = diagnostic.location.and_then(|location| Range::new(location, sources));
        let (path, range) = place.map_or((file.path, None), |(path, range)| (path, Some(range)));
        // An issue must have a line.
        let (begin, end) = range.map_or((1, 1), |range| (range.start.line, range.end.line));
        let at = |position: Position| LineColumn { line: position.line, column: position.column };
        Self {
            r#type: "issue",
            check_name: diagnostic.code.code,
            description: format!("{}: {}", diagnostic.code.name, diagnostic.message),
            content: Content { body: notes(diagnostic, sources).join("\n\n") },
            categories: ["Bug Risk"],
            fingerprint,
            severity,
            location: IssueLocation {
                path: path.strip_prefix("./").unwrap_or(path),
                lines: Lines { begin, end },
                positions: range.map(|range| Positions { begin: at(range.start), end: at(range.end) }),
            },
        }
    }
}
