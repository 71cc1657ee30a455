//! The commands that start a run, for programs.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema};
use serde::Serialize;

/// The JSON Schema of [`LaunchReport`].
pub fn schema() -> Schema {
    crate::json::schema_of_identified::<LaunchReport>()
}

/// What `cfg run launch --format json` writes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LaunchReport {
    /// The version of this format.
    pub schema_version: u32,
    /// The files of the run.
    pub config: Vec<String>,
    /// The target.
    pub target: String,
    /// Notes, in sentences.
    pub notes: Vec<String>,
    /// The limit of open files that the run needs; null if any limit is enough.
    pub open_files: Option<u64>,
    /// The commands in their order.
    pub steps: Vec<StepReport>,
}

/// One command.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StepReport {
    /// The reasons for its form, as clauses.
    pub why: Vec<String>,
    /// The variables that are set for it, by their names.
    pub variables: BTreeMap<String, String>,
    /// Its words.
    pub words: Vec<String>,
    /// The beginning of the name of its log; null where it writes none.
    pub log: Option<String>,
    /// Whether the next command is started while this one runs.
    pub background: bool,
    /// The command for a shell, with its log.
    pub line: String,
}
