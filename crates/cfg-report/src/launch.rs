//! The commands that start a run, for programs.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema};
use serde::Serialize;

/// The JSON Schema of [`LaunchReport`].
pub fn schema() -> Schema {
    crate::json::schema_of::<LaunchReport>()
}

/// What `cfg launch --format json` writes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LaunchReport {
    /// The version of this format.
    pub schema_version: u32,
    /// The files of the run.
    pub config: Vec<String>,
    /// The prime-rl that is meant.
    pub target: String,
    /// What is good to know, in sentences.
    pub notes: Vec<String>,
    /// The limit of open files that the run needs; null where any will do.
    pub open_files: Option<u64>,
    /// The commands in their order.
    pub steps: Vec<StepReport>,
}

/// One command.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StepReport {
    /// Why it is as it is, in clauses.
    pub why: Vec<String>,
    /// Variables that are set for it, by their names.
    pub variables: BTreeMap<String, String>,
    /// Its words.
    pub words: Vec<String>,
    /// The beginning of the name of its log; null where it writes none.
    pub log: Option<String>,
    /// Whether the next is started while it runs.
    pub background: bool,
    /// The command as a shell takes it, with its log.
    pub line: String,
}
