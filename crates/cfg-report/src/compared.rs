//! The differences between the meanings of configs, and what a registry records of them, as JSON.

use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::Value;

use crate::{
    json::{SCHEMA_VERSION, written_schema_of},
    listed::ValueOrigin,
};

/// The JSON Schema (draft-07) of a [`Comparison`].
pub fn comparison_schema() -> Schema {
    written_schema_of::<Comparison>()
}

/// The JSON Schema (draft-07) of [`Since`].
pub fn since_schema() -> Schema {
    written_schema_of::<Since>()
}

/// The JSON Schema (draft-07) of a [`NewVersion`].
pub fn bump_schema() -> Schema {
    written_schema_of::<NewVersion>()
}

/// The JSON Schema (draft-07) of an [`Adoption`].
pub fn adoption_schema() -> Schema {
    written_schema_of::<Adoption>()
}

/// What `cfg diff` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "cfg diff")]
pub struct Comparison {
    /// The version of this format: 1.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u32,
    /// The first config.
    pub one: Compared,
    /// The second config.
    pub other: Compared,
    /// `same`, `by-default` (only prime-rl's versions differ) or `by-user`.
    pub outcome: &'static str,
    /// The level of a new version that the change calls for: `major`, `minor` or `patch`.
    pub level: Option<&'static str>,
    /// The keys that differ.
    pub differences: Vec<ComparedKey>,
    /// What to know about the change, in sentences.
    pub hints: Vec<String>,
}

/// A config that is compared.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Compared {
    /// Its path, or the name of its version.
    pub path: String,
    /// The entrypoint, if it is known.
    pub kind: Option<&'static str>,
    /// The target that it is read for.
    pub target: String,
}

/// A key that differs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ComparedKey {
    /// The dotted key.
    pub key: String,
    /// `training`, `resources` or `operations`.
    pub class: &'static str,
    /// `user`, `default` (another default) or `no-key` (a version does not have it).
    pub cause: &'static str,
    /// The value in the first config; null if it has none.
    pub one: Option<ComparedValue>,
    /// The value in the second config.
    pub other: Option<ComparedValue>,
}

/// One of the two values.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ComparedValue {
    /// Its key in this config.
    pub key: String,
    /// The value; null if it is invalid.
    pub value: Value,
    /// Where it comes from.
    #[schemars(with = "ValueOrigin")]
    pub origin: Value,
    /// An invalid value as it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invalid: Option<String>,
}

/// What `cfg diff --since` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "cfg diff --since")]
pub struct Since {
    /// The version of this format: 1.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u32,
    /// The number of configs of both states that were compared.
    pub compared: usize,
    /// The configs that are for another prime-rl now.
    pub targets: Vec<ChangedTarget>,
    /// The configs whose machine is another one now.
    pub machines: Vec<ChangedMachine>,
    /// The configs that are new.
    pub new: Vec<String>,
    /// The configs that are gone.
    pub deleted: Vec<String>,
    /// What the registry has to say.
    pub registry: Vec<ChangedVersion>,
    /// The configs that have another path now.
    pub renamed: Vec<Renamed>,
    /// The configs that prime-rl accepted before and refuses now.
    pub refused_now: Vec<RefusedNow>,
    /// The configs that prime-rl refused before and accepts now.
    pub accepted_now: Vec<String>,
    /// The configs whose meaning differs.
    pub differing: Vec<String>,
    /// The configs that can't be compared.
    pub not_compared: Vec<NotCompared>,
}

/// A config that prime-rl accepted before and refuses now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RefusedNow {
    /// Its path.
    pub path: String,
    /// The first fault.
    pub why: String,
}

/// Configs that are for another prime-rl now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangedTarget {
    /// The target before.
    pub before: String,
    /// The target now.
    pub now: String,
    /// Their paths.
    pub configs: Vec<String>,
}

/// Configs that are for another machine now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangedMachine {
    /// The machine before; null if none was stated.
    pub before: Option<String>,
    /// The machine now.
    pub now: Option<String>,
    /// Their paths.
    pub configs: Vec<String>,
}

/// A registered config whose version differs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangedVersion {
    /// Its path.
    pub path: String,
    /// Its version before.
    pub before: Option<String>,
    /// Its version now.
    pub now: Option<String>,
    /// Why that was made.
    pub notes: Option<String>,
    /// What its registry lacks, in words.
    pub lacks: Vec<String>,
}

/// A config that has another path now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Renamed {
    /// Its path before.
    pub before: String,
    /// Its path now.
    pub now: String,
}

/// A config that can't be compared.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NotCompared {
    /// Its path.
    pub path: String,
    /// Why not.
    pub why: String,
}

/// What `cfg bump` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "cfg bump")]
pub struct NewVersion {
    /// The version of this format: 1.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u32,
    /// The path of the config in the registry.
    pub path: String,
    /// The version before; null for a first one.
    pub from: Option<String>,
    /// The new version.
    pub to: String,
    /// The version on which it is based: `path:version`.
    pub based_on: Option<String>,
    /// The level that the change calls for: `major`, `minor`, `patch`; null if unknown.
    pub suggested: Option<&'static str>,
    /// The level of the new version.
    pub level: Option<&'static str>,
    /// The hash of its text.
    pub sha256: String,
    /// The changed values; null if the version before can't be read.
    pub changes: Option<Vec<RecordedChange>>,
    /// The number of places where they are written.
    pub edits: Option<usize>,
    /// What to know about the change, in sentences.
    pub hints: Vec<String>,
}

/// A changed value.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RecordedChange {
    /// The dotted key.
    pub key: String,
    /// `training`, `resources` or `operations`.
    pub class: &'static str,
    /// The value before; null if there was none.
    pub old: Option<Value>,
    /// The value now.
    pub new: Option<Value>,
}

/// What `cfg registry adopt` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "cfg registry adopt")]
pub struct Adoption {
    /// The version of this format: 1.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u32,
    /// The path of the registry.
    pub registry: String,
    /// Whether anything was written.
    pub written: bool,
    /// What it records, in sentences.
    pub changes: Vec<String>,
}
