//! Writes the document piece by piece.

use std::io::{self, Write};

use cfg_diag::{brackets_of_commands, is_hazard};
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

use super::{Diagnostic, File, Summary};
use crate::{
    FileReport, Sources,
    layout::{Audience, Closing, Layout, Look},
};

/// One document.
pub(crate) struct Json;

impl Layout for Json {
    fn audience(&self) -> Audience {
        Audience::Program
    }

    fn begin(&self, out: &mut Vec<u8>, _: &str) -> io::Result<()> {
        out.write_all(b"{\"schema_version\":1,\"files\":[\n")
    }

    fn file(&self, out: &mut Vec<u8>, _: Look<'_>, file: &FileReport<'_>, sources: &Sources<'_>) -> io::Result<()> {
        write_line(out, &File::new(file, sources))
    }

    fn separator(&self) -> &'static [u8] {
        b",\n"
    }

    fn of_command(&self, out: &mut Vec<u8>, report: &FileReport<'_>) -> io::Result<bool> {
        for diagnostic in report.diagnostics {
            if !out.is_empty() {
                out.extend_from_slice(b",\n");
            }
            write_line(out, &Diagnostic::new(diagnostic, report, &Sources::new()))?;
        }
        Ok(true)
    }

    fn end(&self, mut out: &mut dyn Write, closing: Closing<'_>) -> io::Result<()> {
        if !closing.of_command.is_empty() {
            out.write_all(b"\n],\"diagnostics\":[\n")?;
            out.write_all(closing.of_command)?;
        }
        out.write_all(b"\n],\"summary\":")?;
        write_line(&mut out, &Summary::from(closing.summary))?;
        out.write_all(b"}\n")
    }
}

/// Writes a value as compact JSON on one line, without control characters.
pub fn write_line(out: &mut impl Write, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
    value.serialize(&mut serde_json::Serializer::with_formatter(out, Harmless(CompactFormatter))).map_err(io::Error::from)
}

/// Writes a value as JSON on several lines, without control characters.
pub fn write_pretty(out: &mut impl Write, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
    let formatter = Harmless(PrettyFormatter::new());
    value.serialize(&mut serde_json::Serializer::with_formatter(out, formatter)).map_err(io::Error::from)
}

/// Writes a part of a string without control characters, so that no CI system finds a command in it.
fn write_without_commands<W: ?Sized + Write>(writer: &mut W, text: &str) -> io::Result<()> {
    if !text.contains("##") {
        return writer.write_all(text.as_bytes());
    }
    let mut done = 0;
    for at in brackets_of_commands(text) {
        if at >= done {
            writer.write_all(&text.as_bytes()[done..at])?;
            writer.write_all(br"\u005b")?;
            done = at + 1;
        }
    }
    writer.write_all(&text.as_bytes()[done..])
}

/// JSON that is safe to print on a terminal: `serde_json` escapes the control characters of ASCII except one, this formatter the others.
struct Harmless<F>(F);

impl<F: Formatter> Formatter for Harmless<F> {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        // Nearly all text is ASCII, and is checked in large pieces.
        if rest.bytes().all(|byte| byte < 0x7f) {
            return write_without_commands(writer, rest);
        }
        while let Some((at, hazard)) = rest.char_indices().find(|&(_, character)| is_hazard(character)) {
            write_without_commands(writer, &rest[..at])?;
            write!(writer, "\\u{:04x}", hazard as u32)?;
            rest = &rest[at + hazard.len_utf8()..];
        }
        write_without_commands(writer, rest)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, is_first: bool) -> io::Result<()> {
        self.0.begin_array_value(writer, is_first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, is_first: bool) -> io::Result<()> {
        self.0.begin_object_key(writer, is_first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}
