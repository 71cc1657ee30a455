//! The outcome of a command without a document of its own, or of one that could not make it: programs get a document in every case.

use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde::Serialize;
use serde_json::Value;

use crate::{
    FileReport, Sources,
    json::{File, SCHEMA_VERSION},
};

/// The JSON Schema (draft-07) of an [`OutcomeReport`].
pub fn schema() -> Schema {
    let settings = SchemaSettings::draft07().with(|settings| settings.contract = schemars::generate::Contract::Serialize);
    settings.into_generator().into_root_schema_for::<OutcomeReport>()
}

/// The output of a command with `--format json` if it has no document of its own, or could not make it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "cfg outcome")]
pub struct OutcomeReport {
    /// The version of this format: 1.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u32,
    /// How the command ended.
    pub outcome: Ending,
    /// Its text for people, if any: a diff, the text of a version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The completed work, in sentences.
    pub done: Vec<String>,
    /// Notes, in sentences.
    pub notes: Vec<String>,
    /// Why it could not do its work, in sentences.
    pub errors: Vec<String>,
    /// The refused configs, as `cfg check` reports them.
    #[schemars(with = "Vec<File<'static>>")]
    pub files: Vec<Value>,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// With exit code 0.
    Done,
    /// With exit code 1: a config has a fault, or there are findings.
    Refused,
    /// With exit code 2: it could not do its work.
    Failed,
}

/// A file for [`OutcomeReport::files`].
pub fn file(report: &FileReport<'_>, sources: &Sources<'_>) -> Value {
    serde_json::to_value(File::new(report, sources)).unwrap_or_default()
}
