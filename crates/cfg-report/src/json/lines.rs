//! One finding on each line, each line a JSON document of its own.

use std::io;

use schemars::{JsonSchema, Schema};
use serde::Serialize;

use super::{Diagnostic, generator, write_line};
use crate::{FileReport, Sources, Verdict};

/// A line of `cfg --format json-lines`: a finding as in the report, with what the report says of its file.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "cfg report line")]
pub struct Line<'a> {
    /// The path of the checked file or launch.
    pub file: &'a str,
    /// The entrypoint it is for, where that is known.
    pub kind: Option<&'a str>,
    /// The prime-rl it was checked for, where that is known.
    pub target: Option<&'a str>,
    /// What that prime-rl itself says of the file.
    pub verdict: Verdict,
    /// The finding. Its `path` is always there.
    #[serde(flatten)]
    pub diagnostic: Diagnostic<'a>,
}

/// The JSON Schema (draft-07) of a [`Line`].
pub fn line_schema() -> Schema {
    generator().into_root_schema_for::<Line<'_>>()
}

pub(crate) fn write_lines(out: &mut Vec<u8>, file: &FileReport<'_>, sources: &Sources<'_>) -> io::Result<()> {
    for diagnostic in file.diagnostics {
        let mut diagnostic = Diagnostic::new(diagnostic, file, sources);
        diagnostic.path = diagnostic.path.or(Some(file.path));
        let line = Line { file: file.path, kind: file.kind, target: file.target, verdict: file.verdict, diagnostic };
        write_line(out, &line)?;
        out.push(b'\n');
    }
    Ok(())
}
