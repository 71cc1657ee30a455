//! One file for each command.

pub(crate) mod check;
pub(crate) mod compile;
pub(crate) mod curriculum;
pub(crate) mod diagnose;
pub(crate) mod explain;
pub(crate) mod launch;
pub(crate) mod lsp;
pub(crate) mod memory;
pub(crate) mod preflight;
mod read;
pub(crate) mod schema;

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use cfg_check::Project;
use cfg_project::{Settings, Sourced};
use cfg_schema::{History, Target};
use serde::Serialize;

use crate::{
    args::{Common, Format},
    terminal,
};

/// The target that the command line states, if it states one; complains where it names nothing.
fn stated_target(common: &Common) -> Result<Option<Target>, ()> {
    let parsed = common.target.as_deref().map(|text| Target::parse(History::built_in(), text)).transpose();
    parsed.map_err(|error| terminal::complain(&error.to_string()))
}

/// What the settings say that rules can use; nothing where they say nothing of the kind.
fn project_of(settings: &Settings) -> Option<Project> {
    if settings.gpu.is_none() && settings.environments.is_empty() {
        return None;
    }
    let keys = |keys: &BTreeMap<String, Sourced<_>>| keys.iter().map(|(key, value)| (key.clone(), toml_text(value))).collect();
    Some(Project {
        gpu: settings.gpu.as_ref().map(|gpu| (gpu.value.count, gpu.value.name.clone())),
        environments: settings.environments.iter().map(|(name, of)| (name.clone(), keys(of))).collect(),
        ..Project::default()
    })
}

/// A value of the settings as TOML.
fn toml_text<T: std::fmt::Display>(value: &Sourced<T>) -> String {
    value.value.to_string()
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
            Format::Github | Format::Gitlab | Format::Junit | Format::Sarif | Format::Svg | Format::Toml => {
                terminal::complain(&format!(
                    "`cfg {command}` has no findings to write in this format; it takes full, json and json-lines"
                ));
                None
            }
        }
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
