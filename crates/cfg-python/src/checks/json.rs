//! `json.loads` and `json.dumps`.

use super::{
    object::{DEEPEST, Object},
    text,
};

/// The result of `json.dumps`; `None` if it is not modelled.
pub(super) fn json_of(object: &Object, depth: usize) -> Option<String> {
    if depth > DEEPEST {
        return None;
    }
    Some(match object {
        Object::None => "null".to_owned(),
        Object::Bool(value) => value.to_string(),
        Object::Int(_) => text::quoted(object)?,
        Object::Float(value) if value.is_finite() => text::quoted(object)?,
        Object::Str(text) if text.is_ascii() => serde_json::to_string(&**text).ok()?,
        Object::List(_) | Object::Tuple(_) => {
            let items = object.items().ok()?;
            format!("[{}]", items.iter().map(|item| json_of(item, depth + 1)).collect::<Option<Vec<_>>>()?.join(", "))
        }
        Object::Dict(_) => {
            let entry = |(key, value): &(Object, Object)| match key {
                Object::Str(_) => Some(format!("{}: {}", json_of(key, depth + 1)?, json_of(value, depth + 1)?)),
                _ => None,
            };
            format!("{{{}}}", object.items_of_dict()?.iter().map(entry).collect::<Option<Vec<_>>>()?.join(", "))
        }
        _ => return None,
    })
}

/// The object for a JSON text.
pub(super) fn of_json(value: &serde_json::Value) -> Object {
    use serde_json::Value;
    match value {
        Value::Null => Object::None,
        Value::Bool(value) => Object::Bool(*value),
        Value::Number(number) => match number.as_i64() {
            Some(value) => Object::Int(value),
            None => Object::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) => Object::str(text.as_str()),
        Value::Array(items) => Object::list(items.iter().map(of_json).collect()),
        Value::Object(entries) => {
            Object::dict(entries.iter().map(|(key, value)| (Object::str(key.as_str()), of_json(value))).collect())
        }
    }
}
