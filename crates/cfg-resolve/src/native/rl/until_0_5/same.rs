//! Two components must agree on a value.

use std::borrow::Cow;

use cfg_compose::Integer;

use crate::{
    Resolved, ResolvedValue, coerce,
    native::{Cx, Failure},
};

/// Refuses values that differ; `shared` is the key that sets both.
pub(super) fn same(cx: &Cx<'_>, left: &'static str, right: &'static str, shared: &str) -> Result<(), Failure> {
    if equal(cx.get(left), cx.get(right)) {
        return Ok(());
    }
    let message = format!("`{left}` is {}, `{right}` is {}: they must be the same", shown(cx, left), shown(cx, right));
    Err(Failure::value(message, &[left, right]).help(format!("set both through `{shared}`, or remove one of them")))
}

fn equal(left: Option<Cow<'_, Resolved>>, right: Option<Cow<'_, Resolved>>) -> bool {
    let (Some(left), Some(right)) = (left, right) else { return true };
    match (&left.value, &right.value) {
        (ResolvedValue::Null, ResolvedValue::Null) => true,
        (ResolvedValue::Bool(left), ResolvedValue::Bool(right)) => left == right,
        (ResolvedValue::Int(left), ResolvedValue::Int(right)) => left == right,
        (ResolvedValue::Str(left), ResolvedValue::Str(right)) => left == right,
        _ => false,
    }
}

/// A value as one would write it.
pub(super) fn shown(cx: &Cx<'_>, path: &str) -> String {
    match cx.get(path).map(|resolved| resolved.value.clone()) {
        Some(ResolvedValue::Bool(boolean)) => boolean.to_string(),
        Some(ResolvedValue::Int(Integer::Small(small))) => small.to_string(),
        Some(ResolvedValue::Int(Integer::Big(digits))) => digits.to_string(),
        Some(ResolvedValue::Float(float)) => coerce::float_repr(float),
        Some(ResolvedValue::Str(text)) => format!("\"{text}\""),
        Some(ResolvedValue::Table(_) | ResolvedValue::Map(_)) => "a table".to_owned(),
        Some(ResolvedValue::List(_)) => "an array".to_owned(),
        _ => "null".to_owned(),
    }
}
