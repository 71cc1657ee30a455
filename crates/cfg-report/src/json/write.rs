//! The document, piece by piece.

use std::io::{self, Write};

use serde::Serialize;

use super::{File, Summary};
use crate::text::is_hazard;
use crate::{FileReport, Sources};

/// What stands before the first file.
pub(crate) const BEGIN: &[u8] = b"{\"schema_version\":1,\"files\":[\n";

pub(crate) fn write_file(out: &mut Vec<u8>, file: &FileReport<'_>, sources: &Sources<'_>) -> io::Result<()> {
    serialize(out, &File::new(file, sources))
}

/// Writes what stands behind the last file.
pub(crate) fn write_end(out: &mut impl Write, summary: &crate::Summary) -> io::Result<()> {
    out.write_all(b"\n],\"summary\":")?;
    serialize(out, &Summary::from(summary))?;
    out.write_all(b"}\n")
}

/// Writes a value as compact JSON on one line, without anything that steers a terminal.
pub(crate) fn serialize(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    value.serialize(&mut serde_json::Serializer::with_formatter(out, Harmless)).map_err(io::Error::from)
}

/// Compact JSON that may be printed on a terminal: `serde_json` escapes the control characters of ASCII, this the others.
struct Harmless;

impl serde_json::ser::Formatter for Harmless {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((at, hazard)) = rest.char_indices().find(|&(_, character)| is_hazard(character)) {
            writer.write_all(&rest.as_bytes()[..at])?;
            write!(writer, "\\u{:04x}", hazard as u32)?;
            rest = &rest[at + hazard.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }
}
