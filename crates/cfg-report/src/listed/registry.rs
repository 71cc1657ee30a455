//! The configs and versions of a registry.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// A config of a registry.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RegisteredConfig {
    /// Its path.
    pub path: String,
    /// The model that it trains, if recorded.
    pub model: Option<String>,
    /// The hardware that it is for, if recorded.
    pub hardware: Option<String>,
    /// Its current version.
    pub current_version: Option<String>,
    /// Whether it was removed.
    pub removed: bool,
    /// Its versions.
    pub versions: Vec<String>,
    /// The names in `active_configs` of its versions.
    pub active: Vec<String>,
}

/// A version with its parent.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(transparent)]
pub struct LineageEntry(#[schemars(with = "RegisteredVersion")] pub Value);

/// A version of a registry. What is not recorded is null.
#[derive(Debug, Serialize, JsonSchema)]
struct RegisteredVersion {
    /// The path of its config.
    config: String,
    /// Its label.
    version: String,
    /// The day on which it was made.
    created: Option<String>,
    /// Why it was made.
    notes: Option<String>,
    /// The hash of its text.
    sha256: Option<String>,
    /// The prime-rl that it is for.
    prime_rl: Option<String>,
    /// The version of its environment.
    env_version: Option<String>,
    /// The version on which it is based: `path:version`.
    parent: Option<String>,
    /// Where that is from: `stated`, `implied` (the previous version), `unknown` (not in the registry) or `none`.
    parent_is: String,
}
