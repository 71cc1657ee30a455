//! The format of `registry.json`, as types for its JSON Schema. [`Registry`](crate::Registry) is the reader, which records
//! locations and is more lenient.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde::Serialize;

use crate::registry::SCHEMA_VERSION;

/// The JSON Schema (draft-07) of `registry.json`.
pub fn schema() -> Schema {
    SchemaSettings::draft07().into_generator().into_root_schema_for::<RegistryShape>()
}

/// All configs, their versions, and the parent of each version. Unknown members are kept unchanged.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "cfg registry")]
struct RegistryShape {
    /// The version of this format: 1. A registry without it has this version.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    schema_version: Option<u64>,
    /// The purpose of the registry, in words.
    description: Option<String>,
    /// The versions in use, each with a name: `path:version`.
    active_configs: Option<BTreeMap<String, Reference>>,
    /// The configs, by their path with `/` between folders: relative to the folder of this file, or to its parent folder if all paths begin with this
    /// folder's name.
    configs: BTreeMap<String, ConfigShape>,
    /// The training runs, by their name.
    runs: Option<BTreeMap<String, RunShape>>,
}

/// A training run.
#[derive(Serialize, JsonSchema)]
struct RunShape {
    /// The version that was used.
    config: Reference,
    /// Its status: `running`, `completed`, `failed` or `abandoned`.
    status: String,
    /// The day on which it started: `2026-01-05`.
    started: Option<String>,
    /// The day on which it ended.
    ended: Option<String>,
    /// The prime-rl that was used.
    prime_rl: Option<String>,
    /// The machine.
    hardware: Option<String>,
    /// The rented machine.
    pod: Option<String>,
    /// Its output folder: relative to the folder in which paths begin, or absolute.
    folder: Option<String>,
    /// Its address in Weights & Biases.
    wandb: Option<String>,
    /// The number of its training steps.
    steps: Option<String>,
    /// The model's result before the run.
    baseline: Option<String>,
    /// The reward that was reached.
    reward: Option<String>,
    /// Notes about it.
    notes: Option<String>,
    /// The sha256 of the exact bytes that were used; they are kept in `.cfg/objects/`.
    sha256: Option<Sha256>,
    /// Their training meaning.
    fingerprint: Option<FingerprintShape>,
}

/// A version of a config: `configs/a.toml:v3`.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Reference(#[schemars(regex(pattern = "^.+:[^/\\\\:]+$"))] String);

/// A config.
#[derive(Serialize, JsonSchema)]
struct ConfigShape {
    /// The model that it trains.
    model: Option<String>,
    /// The machine that it is written for.
    hardware: Option<String>,
    /// The version of the file's current content.
    current_version: String,
    /// Whether the file was removed permanently; its versions stay.
    removed: Option<bool>,
    /// The versions, by their name: a count such as `v3`, or a semantic version such as `1.4.0`.
    versions: BTreeMap<String, VersionShape>,
}

/// A version of a config.
#[derive(Serialize, JsonSchema)]
struct VersionShape {
    /// The day on which it was made: `2026-01-05`.
    created: Option<Day>,
    /// What was changed, and why.
    notes: String,
    /// The version that it was made from: `path:version`.
    based_on: Option<String>,
    /// The prime-rl that it was made for.
    prime_rl: Option<String>,
    /// The version of the environment that it was made for.
    env_version: Option<String>,
    /// The sha256 of the exact bytes; they are kept in `.cfg/objects/`.
    sha256: Option<Sha256>,
    /// Its training meaning.
    fingerprint: Option<FingerprintShape>,
    /// Other contents with the same version, the oldest first.
    also: Option<Vec<AlsoShape>>,
    /// What the text states of itself, if a merge or a rename has given the version or its parent another name.
    stated: Option<StatedShape>,
}

/// What the text of a version states of itself.
#[derive(Serialize, JsonSchema)]
struct StatedShape {
    /// The version.
    version: Option<String>,
    /// The version that it was made from.
    based_on: Option<String>,
}

/// A day: `2026-01-05`.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Day(#[schemars(regex(pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"))] String);

/// A sha256, in lower-case hexadecimal digits.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Sha256(#[schemars(regex(pattern = "^[0-9a-f]{64}$"))] String);

/// The digests of a config's meaning, one for each class of keys. Comments, order, spelling and metadata do not affect them.
#[derive(Serialize, JsonSchema)]
struct FingerprintShape {
    /// The method that makes the digests; digests of different schemes can't be compared.
    scheme: u64,
    /// What is trained, with which data, and how.
    training: Sha256,
    /// The machines, and the distribution over them.
    resources: Sha256,
    /// Names, logging, and the outputs that are kept.
    operations: Sha256,
}

/// An earlier content of a version that now has another content.
#[derive(Serialize, JsonSchema)]
struct AlsoShape {
    /// The sha256 of the exact bytes; they are kept in `.cfg/objects/`.
    sha256: Sha256,
    /// The day on which it was committed.
    created: Option<Day>,
    /// The commit that contains it.
    commit: Option<String>,
}
