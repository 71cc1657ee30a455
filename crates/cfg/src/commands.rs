//! One file for each command.

pub(crate) mod check;
pub(crate) mod compile;
pub(crate) mod curriculum;
pub(crate) mod diagnose;
pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod hook;
pub(crate) mod launch;
pub(crate) mod lsp;
pub(crate) mod memory;
pub(crate) mod migrate;
pub(crate) mod preflight;
mod read;
pub(crate) mod registry;
pub(crate) mod run;
pub(crate) mod schema;

use std::{
    io::{self, Write},
    path::Path,
};

use cfg_check::Session;
use cfg_schema::{History, Target};
use serde::Serialize;

use crate::{
    args::{Common, Format},
    terminal,
};

/// A session in which configs may name imported entries.
fn session() -> Session {
    let session = Session::default().importing(cfg_project::local_target);
    match std::env::current_dir() {
        Ok(here) => session.working_in(&here),
        Err(_) => session,
    }
}

/// The target that the command line states, if it states one; complains where it names nothing.
fn stated_target(common: &Common) -> Result<Option<Target>, ()> {
    common.target.as_deref().map(named_target).transpose().map_err(|error| terminal::complain(&error))
}

/// The target that a text names: a known one, or one that the user has imported.
fn named_target(text: &str) -> Result<Target, String> {
    match cfg_project::local_target(text, Path::new(".")) {
        Some(local) => local.map_err(|(error, help)| format!("{error}; {help}")),
        None => Target::parse(History::built_in(), text).map_err(|error| error.to_string()),
    }
}

/// The form of a report; there is none in TOML, and no picture.
fn format_of_findings(format: Format) -> Result<cfg_report::Format, ()> {
    Ok(match format {
        Format::Full => cfg_report::Format::Full,
        Format::Concise => cfg_report::Format::Concise,
        Format::Json => cfg_report::Format::Json,
        Format::JsonLines => cfg_report::Format::JsonLines,
        Format::Github => cfg_report::Format::Github,
        Format::Gitlab => cfg_report::Format::Gitlab,
        Format::Junit => cfg_report::Format::Junit,
        Format::Sarif => cfg_report::Format::Sarif,
        Format::Svg | Format::Toml | Format::Mermaid | Format::Dot => return Err(()),
    })
}

/// How a command that looks things up prints what it found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Listing {
    /// For people.
    Text,
    /// One JSON array.
    Json,
    /// A JSON document on each line.
    JsonLines,
}

impl Listing {
    /// What `--format` means to a command without findings; complains of formats that are for findings alone.
    fn of(common: &Common, command: &str) -> Option<Self> {
        match common.format {
            Format::Full | Format::Concise => Some(Self::Text),
            Format::Json => Some(Self::Json),
            Format::JsonLines => Some(Self::JsonLines),
            Format::Github
            | Format::Gitlab
            | Format::Junit
            | Format::Sarif
            | Format::Svg
            | Format::Toml
            | Format::Mermaid
            | Format::Dot => {
                terminal::complain(&format!(
                    "`cfg {command}` has no findings to write in this format; it takes full, json and json-lines"
                ));
                None
            }
        }
    }

    /// Prints one document as JSON.
    fn write_one(self, out: &mut impl Write, document: &impl Serialize) -> io::Result<()> {
        match self {
            Self::JsonLines => serde_json::to_writer(&mut *out, document)?,
            Self::Text | Self::Json => serde_json::to_writer_pretty(&mut *out, document)?,
        }
        writeln!(out)
    }

    /// Prints entries, unless they are for people.
    fn write(self, out: &mut impl Write, entries: &[impl Serialize]) -> io::Result<()> {
        match self {
            Self::Text => {}
            Self::Json => {
                serde_json::to_writer_pretty(&mut *out, entries)?;
                writeln!(out)?;
            }
            Self::JsonLines => {
                for entry in entries {
                    serde_json::to_writer(&mut *out, entry)?;
                    writeln!(out)?;
                }
            }
        }
        Ok(())
    }
}
