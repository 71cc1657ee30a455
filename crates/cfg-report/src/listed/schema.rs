//! Keys of the schema history.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// A point of the history.
#[derive(Debug, Serialize, JsonSchema)]
pub struct When {
    /// The first nine digits of the hash.
    pub commit: String,
    /// The day in the author's time zone.
    pub date: &'static str,
    /// The pull request.
    pub pull_request: Option<u32>,
    /// The first release that contains it.
    pub release: Option<&'static str>,
}

/// The properties of a field.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Holds {
    /// The type in words: "an integer".
    #[serde(rename = "type")]
    pub ty: String,
    /// The allowed strings; left out if any is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<&'static str>,
    /// Its bounds; left out if there are none.
    #[serde(skip_serializing_if = "Bounds::is_empty")]
    pub bounds: Bounds,
    /// Whether null is allowed.
    pub nullable: bool,
    /// Whether it must be given.
    pub required: bool,
    /// Its default as JSON.
    pub default: Option<Value>,
    /// The variant of the default, if that is a table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_variant: Option<Value>,
    /// The keys that a file may use for it; left out if only its own name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<&'static str>,
    /// The key that distinguishes the variants of a union.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<&'static str>,
    /// The prefix of the environment variables that set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment_prefix: Option<&'static str>,
}

/// The bounds of a value, as far as there are any.
#[derive(Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Bounds {
    /// At least this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ge: Option<Value>,
    /// More than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gt: Option<Value>,
    /// At most this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub le: Option<Value>,
    /// Less than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lt: Option<Value>,
    /// At least as many characters or items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_length: Option<usize>,
    /// Whether infinity and not-a-number are refused.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub finite: bool,
}

impl Bounds {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A key at a target.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SchemaKey {
    /// The path in the notation of the history: `trainer.optim<type=adamw>.lr`.
    pub key: String,
    /// Its properties.
    #[serde(flatten)]
    pub holds: Holds,
    /// Whether there are keys below it.
    pub has_keys: bool,
    /// The commit since which it has these properties.
    pub since: Option<When>,
    /// The commit at which they changed next; null if they did not.
    pub until: Option<When>,
    /// What it is for.
    pub doc: Option<&'static str>,
}

/// An event in the history of a key.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Event {
    /// The path of the field.
    pub key: String,
    /// The commit; null if it happened before the history begins.
    pub when: Option<When>,
    /// Its day.
    pub date: Option<&'static str>,
    /// `holds`, `gone`, or the kind of a move: `rename`, `move`, `remove`, ...
    pub event: &'static str,
    /// The properties from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds: Option<Holds>,
    /// The move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved: Option<Moved>,
}

/// What became of a key.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Moved {
    /// The new key; null if nothing replaces it.
    pub to: Option<MovedTo>,
    /// Whether `cfg migrate` can do it: `safe`, `review` or `impossible`.
    pub automatic: &'static str,
    /// When it applies.
    pub condition: Option<&'static str>,
    /// What to know about it.
    pub note: Option<&'static str>,
}

/// The place of a key.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MovedTo {
    /// The entrypoint.
    pub kind: &'static str,
    /// The dotted key.
    pub key: &'static str,
}

/// A key that differs between two targets.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangedKey {
    /// Its path.
    pub key: String,
    /// `added`, `removed` or `changed`.
    pub change: &'static str,
    /// Its properties at the first target.
    pub before: Option<Holds>,
    /// Its properties at the second one.
    pub after: Option<Holds>,
    /// The keys that took the place of a removed one.
    pub moved_to: Vec<MovedTo>,
}

/// A release of prime-rl.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Version {
    /// The release.
    pub name: &'static str,
    /// Its day.
    pub day: &'static str,
    /// The commit whose config classes it has; null if they are not known.
    pub commit: Option<String>,
    /// The pull request that made it, if it is after the last known commit.
    pub pull_request: Option<u16>,
    /// Whether it is known whole, and not only by the names of keys.
    pub whole: bool,
    /// The names of its entrypoints; empty if they are not known.
    pub entrypoints: Vec<&'static str>,
}

/// A key of an imported prime-rl that differs from the base point.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportedKey {
    /// The entrypoint.
    pub kind: &'static str,
    /// The dotted key; empty for the whole config.
    pub key: String,
    /// The properties at the base point, in words.
    pub known: Option<String>,
    /// The properties in the checkout, in words.
    pub own: Option<String>,
    /// Checks of its table that cfg does not know, and therefore does not run.
    pub unknown_checks: Vec<String>,
    /// Checks of its table that the checkout does not have any more.
    pub gone_checks: Vec<String>,
}
