//! `JUnit`'s XML: a test suite for each file, a test case for each finding. A file without findings is one case that passes.

use std::io::{self, Write};

use cfg_diag::{Diagnostic, Severity, codes};

use crate::layout::{Audience, Closing, Layout, Look};
use crate::plain::{headline, notes, title};
use crate::{FileReport, Sources};
use cfg_diag::{escape, one_line};

/// A suite for each file.
pub(crate) struct Junit;

impl Layout for Junit {
    fn audience(&self) -> Audience {
        Audience::Ci
    }

    fn begin(&self, out: &mut Vec<u8>, _: &str) -> io::Result<()> {
        out.write_all(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"cfg\">\n")
    }

    fn file(&self, out: &mut Vec<u8>, look: Look<'_>, file: &FileReport<'_>, sources: &Sources<'_>) -> io::Result<()> {
        write(out, look.failing, file, sources)
    }

    fn end(&self, out: &mut dyn Write, _: Closing<'_>) -> io::Result<()> {
        out.write_all(b"</testsuites>\n")
    }
}

/// The result of a finding as a test case.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Nothing could be checked.
    Error,
    /// Something has to change.
    Failure,
    /// The file is none that can be checked.
    Skipped,
    /// An info.
    Passed,
}

fn outcome(diagnostic: &Diagnostic, failing: Severity) -> Outcome {
    if diagnostic.code == &codes::UNREADABLE_FILE {
        Outcome::Error
    } else if diagnostic.severity >= failing {
        Outcome::Failure
    } else if diagnostic.code == &codes::NOT_A_CONFIG || diagnostic.code == &codes::UNKNOWN_KIND {
        Outcome::Skipped
    } else {
        Outcome::Passed
    }
}

fn write(out: &mut Vec<u8>, failing: Severity, file: &FileReport<'_>, sources: &Sources<'_>) -> io::Result<()> {
    let shown: Vec<&Diagnostic> = file.diagnostics.iter().filter(|diagnostic| !diagnostic.is_echo).collect();
    let number = |wanted| shown.iter().filter(|diagnostic| outcome(diagnostic, failing) == wanted).count();
    let (tests, skipped) = (shown.len().max(1), number(Outcome::Skipped));
    let (failures, errors) = (number(Outcome::Failure), number(Outcome::Error));
    let path = xml(file.path);
    writeln!(
        out,
        "  <testsuite name=\"{path}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\">"
    )?;
    if file.kind.is_some() || file.target.is_some() {
        writeln!(out, "    <properties>")?;
        for (name, value) in [("kind", file.kind), ("target", file.target)] {
            if let Some(value) = value {
                writeln!(out, "      <property name=\"{name}\" value=\"{}\"/>", xml(value))?;
            }
        }
        writeln!(out, "    </properties>")?;
    }
    if shown.is_empty() {
        writeln!(out, "    <testcase name=\"no problems\" classname=\"{path}\" file=\"{path}\"/>")?;
    }
    for diagnostic in shown {
        write_case(out, outcome(diagnostic, failing), diagnostic, file, sources)?;
    }
    writeln!(out, "  </testsuite>")
}

fn write_case(
    out: &mut Vec<u8>,
    outcome: Outcome,
    diagnostic: &Diagnostic,
    file: &FileReport<'_>,
    sources: &Sources<'_>,
) -> io::Result<()> {
    let key = diagnostic.key.as_deref().map(|key| format!(": {key}")).unwrap_or_default();
    let name = xml(&format!("{}{key}", title(diagnostic)));
    let place = diagnostic.location.and_then(|location| sources.place(location));
    let path = xml(place.map_or(file.path, |(path, _)| path));
    write!(out, "    <testcase name=\"{name}\" classname=\"{}\" file=\"{path}\"", xml(file.path))?;
    if let Some((_, at)) = place {
        write!(out, " line=\"{}\"", at.line)?;
    }
    let lines = [vec![headline(diagnostic, file.path, sources)], notes(diagnostic, sources)].concat();
    let text = lines.iter().map(|line| xml(line)).collect::<Vec<_>>().join("\n");
    let (code, message) = (diagnostic.code.code, xml(&diagnostic.message));
    match outcome {
        Outcome::Passed => writeln!(out, ">\n      <system-out>{text}</system-out>")?,
        Outcome::Skipped => writeln!(out, ">\n      <skipped message=\"{message}\"/>")?,
        Outcome::Failure => writeln!(out, ">\n      <failure type=\"{code}\" message=\"{message}\">{text}</failure>")?,
        Outcome::Error => writeln!(out, ">\n      <error type=\"{code}\" message=\"{message}\">{text}</error>")?,
    }
    writeln!(out, "    </testcase>")
}

/// A line of text for XML, in an attribute or between tags. Control characters become visible, because XML can't contain most of them.
fn xml(text: &str) -> String {
    let mut xml = String::with_capacity(text.len());
    for character in one_line(text).chars() {
        match character {
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '"' => xml.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => xml += &escape(character),
            other => xml.push(other),
        }
    }
    xml
}
