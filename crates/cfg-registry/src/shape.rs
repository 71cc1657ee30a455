//! The shape of `registry.json`, as types that describe it. [`Registry`](crate::Registry) reads it: with places, and more leniently.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde::Serialize;

use crate::registry::SCHEMA_VERSION;

/// The JSON Schema (draft-07) of `registry.json`.
pub fn schema() -> Schema {
    SchemaSettings::draft07().into_generator().into_root_schema_for::<RegistryShape>()
}

/// Every config, its versions, and where each comes from. Members that are not named here are kept as they are.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "cfg registry")]
struct RegistryShape {
    /// The shape of this document: 1. A registry without it has this shape.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    schema_version: Option<u64>,
    /// What the registry is for, in words.
    description: Option<String>,
    /// The versions in use, each under a name: `path:version`.
    active_configs: Option<BTreeMap<String, Reference>>,
    /// The configs, by their path with `/` between folders: from the folder of this file, or from the one above it where all paths begin with this one's name.
    configs: BTreeMap<String, ConfigShape>,
    /// The training runs, by their name.
    runs: Option<BTreeMap<String, RunShape>>,
}

/// A training run.
#[derive(Serialize, JsonSchema)]
struct RunShape {
    /// The version that ran.
    config: Reference,
    /// How it goes: `running`, `completed`, `failed` or `abandoned`.
    status: String,
    /// The day on which it began: `2026-01-05`.
    started: Option<String>,
    /// The day on which it ended.
    ended: Option<String>,
    /// The prime-rl that ran it.
    prime_rl: Option<String>,
    /// The machine.
    hardware: Option<String>,
    /// The rented machine.
    pod: Option<String>,
    /// The folder that it wrote to: from the folder in which paths begin, or as a whole.
    folder: Option<String>,
    /// Where Weights & Biases shows it.
    wandb: Option<String>,
    /// The training steps that it made.
    steps: Option<String>,
    /// What the model reached before.
    baseline: Option<String>,
    /// The reward that it reached.
    reward: Option<String>,
    /// What there is to say of it.
    notes: Option<String>,
    /// The sha256 of the exact bytes that ran, which are kept in `.cfg/objects/`.
    sha256: Option<Sha256>,
    /// What they mean for training.
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
    /// The machine that it is for.
    hardware: Option<String>,
    /// The version that the file holds.
    current_version: String,
    /// Whether the file is gone for good; its versions stay.
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
    /// The version that it comes from: `path:version`.
    based_on: Option<String>,
    /// The prime-rl that it was made for.
    prime_rl: Option<String>,
    /// The version of the environment that it was made for.
    env_version: Option<String>,
    /// The sha256 of the exact bytes, which are kept in `.cfg/objects/`.
    sha256: Option<Sha256>,
    /// What it means for training.
    fingerprint: Option<FingerprintShape>,
    /// Other contents that went by the same version, the oldest first.
    also: Option<Vec<AlsoShape>>,
}

/// A day: `2026-01-05`.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Day(#[schemars(regex(pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"))] String);

/// A sha256, in lower-case hexadecimal digits.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Sha256(#[schemars(regex(pattern = "^[0-9a-f]{64}$"))] String);

/// The digests of what a config means, one for each class of keys. Comments, order, spelling and metadata have no part in them.
#[derive(Serialize, JsonSchema)]
struct FingerprintShape {
    /// The way in which the digests are made; those of different schemes can't be compared.
    scheme: u64,
    /// What is trained, on what, and how.
    training: Sha256,
    /// On which machines, and how it is spread over them.
    resources: Sha256,
    /// Names, logging, and what is kept of the run.
    operations: Sha256,
}

/// A content that went by a version before the one that the version stands for now.
#[derive(Serialize, JsonSchema)]
struct AlsoShape {
    /// The sha256 of the exact bytes, which are kept in `.cfg/objects/`.
    sha256: Sha256,
    /// The day on which it was committed.
    created: Option<Day>,
    /// The commit that it comes from.
    commit: Option<String>,
}
