//! Workflow commands: `::error file=rl.toml,line=2,col=1,title=PRL101 unknown-key::...`.

use std::io::{self, Write};

use cfg_diag::{Diagnostic, Severity};

use crate::json::Range;
use crate::layout::{Audience, Layout, Look};
use crate::plain::{headline, notes, title};
use crate::{FileReport, Sources};
use cfg_diag::{escape, is_hazard, without_commands};

/// Workflow commands.
pub(crate) struct Github;

impl Layout for Github {
    fn audience(&self) -> Audience {
        Audience::Ci
    }

    fn file(&self, out: &mut Vec<u8>, _: Look<'_>, file: &FileReport<'_>, sources: &Sources<'_>) -> io::Result<()> {
        write(out, file, sources)
    }
}

fn write(out: &mut Vec<u8>, file: &FileReport<'_>, sources: &Sources<'_>) -> io::Result<()> {
    file.diagnostics
        .iter()
        .filter(|diagnostic| !diagnostic.is_echo)
        .try_for_each(|diagnostic| write_command(out, file, sources, diagnostic))
}

fn write_command(out: &mut Vec<u8>, file: &FileReport<'_>, sources: &Sources<'_>, diagnostic: &Diagnostic) -> io::Result<()> {
    let command = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    };
    match diagnostic.location.and_then(|location| Range::new(location, sources)) {
        Some((path, Range { start, end })) => {
            write!(out, "::{command} file={},line={}", self::file(path), start.line)?;
            // Columns are only valid within one line; over several lines GitHub refuses them.
            if start.line == end.line {
                write!(out, ",col={},endLine={},endColumn={}", start.column, end.line, end.column)?;
            } else {
                write!(out, ",endLine={}", end.line)?;
            }
        }
        None => write!(out, "::{command} file={}", self::file(file.path))?,
    }
    // The log of the run shows only the text of a command, so the text contains the place as well.
    let text = [vec![headline(diagnostic, file.path, sources)], notes(diagnostic, sources)].concat().join("\n");
    writeln!(out, ",title={}::{}", property(&title(diagnostic)), data(&text))
}

/// A path as a property, in the form that git uses.
fn file(path: &str) -> String {
    property(path.strip_prefix("./").unwrap_or(path))
}

/// The text of a command, in which a line break is escaped.
fn data(text: &str) -> String {
    escaped(text, "%\r\n")
}

/// A property of a command, in which a colon and a comma are escaped.
fn property(text: &str) -> String {
    escaped(text, "%\r\n:,")
}

fn escaped(text: &str, reserved: &str) -> String {
    let text = without_commands(text);
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            // All reserved characters are ASCII.
            reserved_one if reserved.contains(reserved_one) => escaped += &format!("%{:02X}", reserved_one as u32),
            hazard if is_hazard(hazard) => escaped += &escape(hazard),
            harmless => escaped.push(harmless),
        }
    }
    escaped
}
