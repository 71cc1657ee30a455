//! `json.loads` and `json.dumps`.

use super::{
    object::{DEEPEST, Object},
    text::{self, Written},
};

/// The result of `json.dumps`; `None` if it is not modelled.
pub(super) fn json_of(object: &Object) -> Option<String> {
    let mut written = Written::default();
    write(&mut written, object, DEEPEST)?;
    Some(written.text())
}

fn write(written: &mut Written, object: &Object, depth: usize) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    match object {
        Object::None => written.push("null"),
        Object::Bool(value) => written.push(if *value { "true" } else { "false" }),
        Object::Int(_) => written.push(&text::quoted(object)?),
        Object::Float(value) if value.is_finite() => written.push(&text::quoted(object)?),
        Object::Str(text) if text.is_ascii() => written.push(&serde_json::to_string(&**text).ok()?),
        Object::List(_) | Object::Tuple(_) => {
            written.push("[")?;
            written.push_all(&object.items().ok()?, |written, item| write(written, item, depth))?;
            written.push("]")
        }
        Object::Dict(_) => {
            written.push("{")?;
            written.push_all(&object.items_of_dict()?, |written, (key, value)| {
                let Object::Str(_) = key else { return None };
                write(written, key, depth)?;
                written.push(": ")?;
                write(written, value, depth)
            })?;
            written.push("}")
        }
        _ => None,
    }
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
