//! How a command ended that has no document of its own, or could not make it: for programs, which get a document whatever happens.

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

/// What a command says with `--format json` that has no document of its own, or could not make it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "cfg outcome")]
pub struct OutcomeReport {
    /// The shape of this document: 1.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u32,
    /// How the command ended.
    pub outcome: Ending,
    /// What it prints for people, if it prints anything: a diff, the text of a version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// What was done, in sentences.
    pub done: Vec<String>,
    /// What is good to know, in sentences.
    pub notes: Vec<String>,
    /// Why it could not do its work, in sentences.
    pub errors: Vec<String>,
    /// The configs that are refused, as `cfg check` reports them.
    #[schemars(with = "Vec<File<'static>>")]
    pub files: Vec<Value>,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// With exit code 0.
    Done,
    /// With exit code 1: something is wrong with a config, or was found.
    Refused,
    /// With exit code 2: it could not do its work.
    Failed,
}

/// A file for [`OutcomeReport::files`].
pub fn file(report: &FileReport<'_>, sources: &Sources<'_>) -> Value {
    serde_json::to_value(File::new(report, sources)).unwrap_or_default()
}
