//! Defaults as the history has them.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::{shape::Shape, value::Value};

/// The tag of the variant in a default; for a list, the tag of each item. `None` if there are no variants.
pub(crate) fn variant(value: &Value, shape: &Shape) -> Option<Json> {
    match value {
        Value::List(items) if !items.is_empty() => {
            let item = shape.item.as_ref().filter(|item| !item.variants.is_empty())?;
            Some(items.iter().map(|value| variant(value, item).unwrap_or(Json::Null)).collect())
        }
        Value::Instance(class, _) => {
            let variant = shape.variants.iter().find(|(_, other)| Arc::ptr_eq(other, class));
            variant.map(|(tag, _)| Json::from(&**tag))
        }
        _ => None,
    }
}

/// A default as JSON. Unknown parts are null.
pub(crate) fn json(value: &Value) -> Json {
    match value {
        Value::Bool(value) => Json::from(*value),
        Value::Int(value) => Json::from(*value),
        Value::Float(value) => Json::from(*value),
        Value::Str(value) | Value::Path(value) => Json::from(&**value),
        Value::List(items) | Value::Tuple(items) | Value::Set(items) => items.iter().map(json).collect(),
        Value::Dict(entries) => {
            let key = |key: &Value| match key {
                Value::Str(key) => key.to_string(),
                other => json(other).to_string(),
            };
            entries.iter().map(|(name, value)| (key(name), json(value))).collect()
        }
        Value::Instance(_, given) => {
            given.iter().map(|(name, value)| (name.to_string(), json(value))).collect::<Map<_, _>>().into()
        }
        _ => Json::Null,
    }
}
