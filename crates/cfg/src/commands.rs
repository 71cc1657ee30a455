//! One file for each command.

pub(crate) mod check;
pub(crate) mod compile;
mod completions;
mod curriculum;
pub(crate) mod diagnose;
pub(crate) mod diff;
pub(crate) mod env;
pub(crate) mod estimate;
pub(crate) mod explain;
pub(crate) mod fmt;
pub(crate) mod generate;
pub(crate) mod gpu;
pub(crate) mod hook;
pub(crate) mod init;
pub(crate) mod launch;
pub(crate) mod lsp;
mod man;
pub(crate) mod mcp;
pub(crate) mod memory;
pub(crate) mod migrate;
pub(crate) mod model;
pub(crate) mod new;
mod newest_run;
pub(crate) mod plan;
mod prediction;
pub(crate) mod preflight;
pub(crate) mod read;
pub(crate) mod registry;
pub(crate) mod report;
pub(crate) mod resume;
pub(crate) mod run;
pub(crate) mod schema;
mod skill;
pub(crate) mod sweep;
pub(crate) mod watch;

use std::io::{self, Write};

use cfg_report::listed::{About, Listed};
use serde::Serialize;

use crate::{args::Format, context::Context};

/// The report format for `--format`. Commands that report findings accept only formats that have one.
pub(crate) fn format_of_findings(format: Format) -> cfg_report::Format {
    format.of_findings().unwrap_or_default()
}

/// The output format of a command without findings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Listing {
    /// Text for people.
    Text,
    /// One JSON document.
    Json,
    /// One JSON document per line.
    JsonLines,
}

impl Listing {
    /// The format for `--format`. A picture is treated like text.
    const fn of(cx: &Context) -> Self {
        match cx.common.format {
            Format::Json => Self::Json,
            Format::JsonLines => Self::JsonLines,
            _ => Self::Text,
        }
    }

    /// Prints a single document as JSON.
    fn write_one(self, out: &mut impl Write, document: &impl Serialize) -> io::Result<()> {
        match self {
            Self::JsonLines => cfg_report::json::write_line(&mut *out, document)?,
            Self::Text | Self::Json => cfg_report::json::write_pretty(&mut *out, document)?,
        }
        writeln!(out)
    }

    /// Prints entries as JSON, or nothing if the format is text: one document with all of them, or one for each.
    fn write<T: Listed>(self, out: &mut impl Write, entries: &[T]) -> io::Result<()> {
        self.write_about(out, entries, None)
    }

    /// As [`Self::write`], with what the entries are about in the document with all of them.
    fn write_about<T: Listed>(self, out: &mut impl Write, entries: &[T], about: Option<&About>) -> io::Result<()> {
        match self {
            Self::Text => {}
            Self::Json => self.write_one(out, &T::document(entries, about))?,
            Self::JsonLines => {
                for entry in entries {
                    cfg_report::json::write_line(&mut *out, entry)?;
                    writeln!(out)?;
                }
            }
        }
        Ok(())
    }
}
