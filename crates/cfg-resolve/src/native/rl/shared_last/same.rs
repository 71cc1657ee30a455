//! Two components must agree on a value.

use crate::{
    Resolved, ResolvedValue,
    native::{Failure, ValidatorCtx},
};

/// Refuses values that differ; `shared` is the key that sets both.
pub(super) fn same(cx: &ValidatorCtx<'_>, left: &'static str, right: &'static str, shared: &str) -> Result<(), Failure> {
    if equal(cx.get(left), cx.get(right)) {
        return Ok(());
    }
    let message = format!("`{left}` is {}, but `{right}` is {}: they must be equal", cx.show(left), cx.show(right));
    Err(Failure::value(message, &[left, right]).help(format!("set both with `{shared}`, or remove one of them")))
}

fn equal(left: Option<&Resolved>, right: Option<&Resolved>) -> bool {
    let (Some(left), Some(right)) = (left, right) else { return true };
    match (&left.value, &right.value) {
        (ResolvedValue::Null, ResolvedValue::Null) => true,
        (ResolvedValue::Bool(left), ResolvedValue::Bool(right)) => left == right,
        (ResolvedValue::Int(left), ResolvedValue::Int(right)) => left == right,
        (ResolvedValue::Str(left), ResolvedValue::Str(right)) => left == right,
        _ => false,
    }
}
