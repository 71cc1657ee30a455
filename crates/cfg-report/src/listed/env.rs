//! The contents of an environment's package.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// A function or class of a package.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PackagePart {
    /// `arguments` for a function; for a class `taskset`, `harness`, `judge` or `environment`.
    pub what: &'static str,
    /// The name of the function or class.
    pub name: String,
    /// Its file and line.
    pub place: String,
    /// The keys that it takes.
    pub keys: Vec<PackageKey>,
    /// What happens to other keys: `refused`, `dropped`, `passed_on`.
    pub others: &'static str,
    /// The package's own checks, which cfg does not run.
    pub checks: Vec<OwnCheck>,
}

/// A key that a function or class takes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PackageKey {
    /// The dotted key.
    #[serde(rename = "key")]
    pub path: String,
    /// The type in words: "an integer, at least 1; default 10".
    pub holds: String,
    /// Whether it must be given.
    pub required: bool,
    /// Its default; null if there is none.
    pub default: Option<Value>,
    /// What it is for, if the package says so.
    pub doc: Option<String>,
}

/// A check of a package.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OwnCheck {
    /// The name of the function.
    pub name: String,
    /// Its file and line.
    pub place: String,
    /// The keys that it reads; null if unknown.
    pub reads: Option<Vec<String>>,
}
