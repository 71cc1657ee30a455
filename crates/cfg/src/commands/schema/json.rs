//! The types for the JSON output of `cfg schema`, which `docs/formats.md` describes.

use cfg_schema::{Commit, Discriminator, FieldType, History, Interval, Point, TypeKind};
use serde::Serialize;
use serde_json::Value;

/// A point of the history.
#[derive(Serialize)]
pub(super) struct When {
    /// The first nine digits of the hash.
    commit: String,
    /// The day in the author's time zone.
    date: &'static str,
    pull_request: Option<u32>,
    /// The first release that contains it.
    release: Option<&'static str>,
}

impl When {
    pub(super) fn new(history: History, point: Point) -> Option<Self> {
        history.commit_of(point).map(|commit| Self {
            commit: commit.short_sha(),
            date: commit.day(),
            pull_request: Commit::pull_request(commit),
            release: history.first_release_with(point).map(cfg_schema::Tag::name),
        })
    }
}

/// The properties of a field.
#[derive(Serialize)]
pub(super) struct Holds {
    /// The type in words: "an integer".
    #[serde(rename = "type")]
    ty: String,
    /// The allowed strings; empty if any is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    choices: Vec<&'static str>,
    #[serde(skip_serializing_if = "Bounds::is_empty")]
    bounds: Bounds,
    nullable: bool,
    required: bool,
    default: Option<Value>,
    /// The variant of the default, if that is a table.
    #[serde(skip_serializing_if = "Option::is_none")]
    default_variant: Option<Value>,
    /// The keys that a file may use for it; empty if only its own name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<&'static str>,
    /// The key that distinguishes the variants of a union.
    #[serde(skip_serializing_if = "Option::is_none")]
    tag: Option<&'static str>,
    /// The prefix of the environment variables that set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    environment_prefix: Option<&'static str>,
}

#[derive(PartialEq, Serialize)]
struct Bounds {
    #[serde(skip_serializing_if = "Option::is_none")]
    ge: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gt: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    le: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lt: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_length: Option<usize>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    finite: bool,
}

impl Bounds {
    fn new(ty: FieldType) -> Self {
        let cfg_schema::Bounds { ge, gt, le, lt, finite, min_length } = ty.bounds();
        let [ge, gt, le, lt] = [ge, gt, le, lt].map(|bound| bound.map(number));
        Self { ge, gt, le, lt, min_length, finite }
    }

    fn is_empty(&self) -> bool {
        let Self { ge, gt, le, lt, min_length, finite } = self;
        [ge, gt, le, lt].iter().all(|bound| bound.is_none()) && min_length.is_none() && !finite
    }
}

/// A bound as a number, written without a fraction if it is an integer: 1, not 1.0.
fn number(bound: f64) -> Value {
    if bound.fract() == 0.0 && bound.abs() < 1e15 { Value::from(bound as i64) } else { Value::from(bound) }
}

impl Holds {
    pub(super) fn new(interval: Interval) -> Self {
        let ty = interval.field_type();
        let parsed = |json: Option<&str>| json.and_then(|json| serde_json::from_str(json).ok());
        Self {
            ty: cfg_schema::type_in_words(ty),
            choices: if ty.kind() == TypeKind::Literal { ty.literals().collect() } else { Vec::new() },
            bounds: Bounds::new(ty),
            nullable: ty.is_nullable(),
            required: interval.is_required(),
            default: parsed(interval.default_json()),
            default_variant: parsed(interval.default_variant_json()),
            aliases: interval.aliases().collect(),
            tag: match ty.discriminator() {
                Some(Discriminator::Key(key)) => Some(key),
                _ => None,
            },
            environment_prefix: interval.settings_prefix(),
        }
    }
}
