//! If all values of a free map are strings, those that look like a boolean, an integer or a float are converted.

use cfg_compose::{Integer, Node, Table, Value};
use cfg_schema::{Interval, TypeKind};

use super::Class;

pub(super) fn run(class: Class, table: &mut Table) {
    for (key, node) in table.nodes_mut() {
        let Some(interval) = class.node.field(key).and_then(|field| field.at(class.point)) else { continue };
        if !concerns(interval) {
            continue;
        }
        let Some(map) = node.value.as_table_mut() else { continue };
        if map.entries().iter().all(|entry| entry.node.value.as_str().is_some()) {
            map.nodes_mut().for_each(|(_, node)| coerce(node));
        }
    }
}

/// Whether the values of a field are converted: it is a free map whose values need not be strings.
pub(super) fn concerns(interval: Interval) -> bool {
    let ty = interval.field_type();
    let strings = || ty.members().nth(1).is_some_and(|value| value.kind() == TypeKind::Str);
    ty.kind() == TypeKind::Dict && !ty.is_nullable() && !strings()
}

fn coerce(node: &mut Node) {
    let Some(text) = node.value.as_str() else { return };
    if text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false") {
        node.value = Value::Bool(text.eq_ignore_ascii_case("true"));
    } else if let Some(integer) = canonical_integer(text) {
        node.value = Value::Int(integer);
    } else if let Some(float) = float(text) {
        node.value = Value::Float(float);
    }
}

/// The integer that Python prints as exactly this text.
fn canonical_integer(text: &str) -> Option<Integer> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let canonical =
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) && (!digits.starts_with('0') || text == "0");
    canonical.then(|| text.parse().map_or_else(|_| Integer::Big(text.into()), Integer::Small))
}

/// A float as Python reads it; whole numbers with leading zeros stay text.
fn float(text: &str) -> Option<f64> {
    let float: f64 = text.trim().parse().ok().filter(|float: &f64| !float.is_nan())?;
    let written_as_whole = text.starts_with(|first: char| first.is_ascii_digit()) && !text.contains(['e', 'E', '.']);
    (!matches!(text, "inf" | "-inf" | "+inf") && !written_as_whole).then_some(float)
}
