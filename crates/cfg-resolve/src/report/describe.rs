//! Values as text for messages.

use cfg_compose::{Datetime, Integer, Value};
use cfg_schema::{FieldType, Kind, Schema, TypeKind, without_indices};

use super::elsewhere::Place;
use crate::coerce;

/// The maximum length of a user's text in a message, in characters.
const MAX_TEXT: usize = 60;

/// The type and content of a value: "the string "512x"", "a table".
pub(super) fn value(value: &Value) -> String {
    match value {
        Value::Null | Value::Unknown => "null".to_owned(),
        Value::Bool(boolean) => boolean.to_string(),
        Value::Int(integer) => format!("the integer {}", shortened(&integer_text(integer))),
        Value::Float(float) => format!("the number {}", float_text(*float)),
        Value::Str(text) => format!("the string {:?}", shortened(text)),
        Value::Datetime(Datetime { date: None, .. }) => "a time".to_owned(),
        Value::Datetime(_) => "a date".to_owned(),
        Value::List(_) => "an array".to_owned(),
        Value::Table(_) => "a table".to_owned(),
    }
}

/// A number as the user wrote it.
pub(super) fn number(value: &Value) -> String {
    match value {
        Value::Int(integer) => shortened(&integer_text(integer)),
        Value::Float(float) => float_text(*float),
        Value::Str(text) => format!("{:?}", shortened(text)),
        Value::Bool(boolean) => boolean.to_string(),
        _ => "not a number".to_owned(),
    }
}

/// How to write what the user probably meant, if the wrong type of the value shows it.
pub(super) fn how_to_write(value: &Value, ty: FieldType) -> Option<String> {
    match (ty.kind(), value) {
        (TypeKind::Str | TypeKind::Path | TypeKind::Literal, Value::Int(integer)) => {
            Some(format!("quote it: \"{}\"", integer_text(integer)))
        }
        (TypeKind::Str, Value::Float(float)) => Some(format!("quote it: \"{}\"", float_text(*float))),
        (TypeKind::Str, Value::Bool(boolean)) => Some(format!("quote it: \"{boolean}\"")),
        (TypeKind::List, Value::Str(text)) => Some(format!("put it in brackets: [{:?}]", shortened(text))),
        (TypeKind::List, Value::Int(_) | Value::Float(_) | Value::Bool(_)) => Some("put it in brackets".to_owned()),
        (TypeKind::Int, Value::Str(text)) => {
            let number = coerce::float(&Value::Str(text.clone())).ok().map(|(number, _)| number);
            number.filter(|number| number.fract() == 0.0 && number.abs() < 1e15).map(|number| format!("write {number}"))
        }
        (TypeKind::Table(_), Value::Str(_) | Value::Int(_)) => {
            Some("put its keys into a table: `[...]`, or `{ ... }`".to_owned())
        }
        (TypeKind::Table(_), Value::Bool(true)) => Some("an empty table turns it on: `{}`".to_owned()),
        (TypeKind::Table(_), Value::Bool(false)) if ty.is_nullable() => Some("remove the key to turn it off".to_owned()),
        _ => None,
    }
}

/// A text, truncated for a message.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

fn integer_text(integer: &Integer) -> String {
    match integer {
        Integer::Small(small) => small.to_string(),
        Integer::Big(digits) => digits.to_string(),
    }
}

fn float_text(float: f64) -> String {
    if float.is_finite() && float.fract() == 0.0 && float.abs() < 1e15 {
        format!("{float:.1}")
    } else {
        float.to_string().to_lowercase()
    }
}

/// That a table has no such key, with its keys unless there are too many.
pub(super) fn known_keys(owner: &str, keys: &[&str], schema: Schema) -> Place {
    if schema.kind == Kind::Script {
        let help = match keys {
            [] => "this table has no keys".to_owned(),
            few if few.len() <= 40 => format!("its keys are {}", few.join(", ")),
            many => format!("it has {} others", many.len()),
        };
        return Place::at(help, Vec::new());
    }
    Place::nowhere(match keys {
        [] => "remove it: this table has no keys".to_owned(),
        [only] => format!("remove it; the only key of this table is `{only}`"),
        few if few.len() <= 12 => format!("remove it; its keys are {}", few.join(", ")),
        many => {
            let table = if owner.is_empty() { String::new() } else { format!(" {}", without_indices(owner)) };
            format!("remove it; `cfg schema show{table}{}` lists its {} keys", flags(schema), many.len())
        }
    })
}

/// The flags with which a command shows this schema: none for an rl config of the newest release.
fn flags(schema: Schema) -> String {
    let kind = if schema.kind == Kind::Rl { String::new() } else { format!(" --kind {}", schema.kind.name()) };
    let Schema { history, point, .. } = schema;
    if history.releases().next_back().is_some_and(|newest| newest.point() == point) {
        return kind;
    }
    let release = history.releases().rfind(|release| release.point() == point).map(|release| release.name().to_owned());
    match release.or_else(|| history.commit_of(point).map(cfg_schema::Commit::short_sha)) {
        Some(name) => format!("{kind} --target {name}"),
        None => kind,
    }
}
