//! Types and values in words.

use cfg_compose::{Datetime, Integer, Value};
use cfg_schema::{Discriminator, FieldType, TypeKind};

use crate::{ResolvedValue, coerce};

/// The longest piece of a user's text that a message repeats.
const MAX_TEXT: usize = 60;

/// What a type takes: "an integer", "one of "a" and "b"".
pub(super) fn expected(ty: FieldType) -> String {
    match ty.kind() {
        TypeKind::Any => "anything".to_owned(),
        TypeKind::Int => "an integer".to_owned(),
        TypeKind::Float => "a number".to_owned(),
        TypeKind::Bool => "true or false".to_owned(),
        TypeKind::Str => "a string".to_owned(),
        TypeKind::Path => "a path, as a string".to_owned(),
        TypeKind::Literal => match ty.literals().len() {
            1 => quoted(ty.literals()),
            _ => format!("one of {}", quoted(ty.literals())),
        },
        TypeKind::List => match ty.members().next().map(|item| plural(item.kind())) {
            Some(items) if !items.is_empty() => format!("an array of {items}"),
            _ => "an array".to_owned(),
        },
        TypeKind::Dict | TypeKind::Table(_) => "a table".to_owned(),
        TypeKind::Union => match ty.discriminator() {
            Some(Discriminator::Key(key)) => format!("a table with `{key}`"),
            Some(Discriminator::TypeOrDefault) => "a table".to_owned(),
            None => ty.members().map(expected).collect::<Vec<_>>().join(" or "),
        },
    }
}

fn plural(kind: TypeKind) -> &'static str {
    match kind {
        TypeKind::Int => "integers",
        TypeKind::Float => "numbers",
        TypeKind::Str => "strings",
        TypeKind::Bool => "booleans",
        TypeKind::List => "arrays",
        TypeKind::Dict | TypeKind::Table(_) | TypeKind::Union => "tables",
        TypeKind::Path | TypeKind::Literal | TypeKind::Any => "",
    }
}

/// What a value is: "the string "512x"", "a table".
pub(super) fn value(value: &Value) -> String {
    match value {
        Value::Null | Value::Unknown => "null".to_owned(),
        Value::Bool(boolean) => boolean.to_string(),
        Value::Int(integer) => format!("the integer {}", shortened(&integer_text(integer))),
        Value::Float(float) => format!("the number {}", float_text(*float)),
        Value::Str(text) => format!("the string {:?}", shortened(text)),
        Value::Datetime(Datetime::LocalTime) => "a time".to_owned(),
        Value::Datetime(_) => "a date".to_owned(),
        Value::List(_) => "an array".to_owned(),
        Value::Table(_) => "a table".to_owned(),
    }
}

/// A converted number.
pub(super) fn number(value: &ResolvedValue) -> String {
    match value {
        ResolvedValue::Int(integer) => shortened(&integer_text(integer)),
        ResolvedValue::Float(float) => float_text(*float),
        _ => "not a number".to_owned(),
    }
}

/// How to write what was likely meant, where the wrong kind of value tells it.
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
        (TypeKind::Table(_), Value::Bool(true)) => Some("an empty table turns it on: `{}`".to_owned()),
        (TypeKind::Table(_), Value::Bool(false)) if ty.is_nullable() => Some("leave the key out to turn it off".to_owned()),
        _ => None,
    }
}

/// `"a", "b" or "c"`.
pub(super) fn quoted<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut words: Vec<String> = words.map(|word| format!("\"{word}\"")).collect();
    match words.pop() {
        Some(last) if words.is_empty() => last,
        Some(last) => format!("{} or {last}", words.join(", ")),
        None => String::new(),
    }
}

/// A text that fits a message.
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
