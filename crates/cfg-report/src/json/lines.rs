//! One finding on each line, each as a JSON document.

use std::io;

use cfg_diag::Verdict;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use super::{Diagnostic, VerdictName, generator, verdict, write_line};
use crate::{
    FileReport, Sources,
    layout::{Audience, Layout, Look},
};

/// A line of `cfg --format json-lines`: a finding as in the report, with the report's data about its file.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "cfg report line")]
pub struct Line<'a> {
    /// The path of the checked file or launch.
    pub file: &'a str,
    /// The entrypoint, if it is known.
    pub kind: Option<&'a str>,
    /// The target that it was checked for, if it is known.
    pub target: Option<&'a str>,
    /// prime-rl's own verdict on the file.
    #[serde(serialize_with = "verdict")]
    #[schemars(with = "VerdictName")]
    pub verdict: Verdict,
    /// The finding. It always has a `path`.
    #[serde(flatten)]
    pub diagnostic: Diagnostic<'a>,
}

/// The JSON Schema (draft-07) of a [`Line`].
pub fn line_schema() -> Schema {
    generator().into_root_schema_for::<Line<'_>>()
}

/// A document for each finding.
pub(crate) struct JsonLines;

impl Layout for JsonLines {
    fn audience(&self) -> Audience {
        Audience::Program
    }

    fn file(&self, out: &mut Vec<u8>, _: Look<'_>, file: &FileReport<'_>, sources: &Sources<'_>) -> io::Result<()> {
        write(out, file, sources)
    }
}

fn write(out: &mut Vec<u8>, file: &FileReport<'_>, sources: &Sources<'_>) -> io::Result<()> {
    for diagnostic in file.diagnostics {
        let mut diagnostic = Diagnostic::new(diagnostic, file, sources);
        diagnostic.path = diagnostic.path.or(Some(file.path));
        let line = Line { file: file.path, kind: file.kind, target: file.target, verdict: file.verdict, diagnostic };
        write_line(out, &line)?;
        out.push(b'\n');
    }
    Ok(())
}
