//! The properties of keys for the JSON output of `cfg schema`.

use cfg_report::listed::{Bounds, Holds, When};
use cfg_schema::{Commit, Discriminator, FieldType, History, Interval, Point, TypeKind};
use serde_json::Value;

/// A point of the history.
pub(super) fn when(history: History, point: Point) -> Option<When> {
    history.commit_of(point).map(|commit| When {
        commit: commit.short_sha(),
        date: commit.day(),
        pull_request: Commit::pull_request(commit),
        release: history.first_release_with(point).map(cfg_schema::Tag::name),
    })
}

fn bounds(ty: FieldType) -> Bounds {
    let cfg_schema::Bounds { ge, gt, le, lt, finite, min_length } = ty.bounds();
    let [ge, gt, le, lt] = [ge, gt, le, lt].map(|bound| bound.map(number));
    Bounds { ge, gt, le, lt, min_length, finite }
}

/// A bound as a number, written without a fraction if it is an integer: 1, not 1.0.
fn number(bound: f64) -> Value {
    if bound.fract() == 0.0 && bound.abs() < 1e15 { Value::from(bound as i64) } else { Value::from(bound) }
}

/// The properties of a field.
pub(super) fn holds(interval: Interval) -> Holds {
    let ty = interval.field_type();
    let parsed = |json: Option<&str>| json.and_then(|json| serde_json::from_str(json).ok());
    Holds {
        ty: cfg_schema::type_in_words(ty),
        choices: if ty.kind() == TypeKind::Literal { ty.literals().collect() } else { Vec::new() },
        bounds: bounds(ty),
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
