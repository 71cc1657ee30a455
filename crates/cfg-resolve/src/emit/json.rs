//! Raw values as JSON.

use crate::float_repr;
use cfg_compose::{Integer, Node, Table, Value};
use serde_json::{Number, Value as Json};

/// A table as JSON in the format of Python's `json.dump` with an indent of two: infinities and not-a-number have their JavaScript names.
pub fn json(table: &Table) -> String {
    let mut out = String::new();
    write_table(&mut out, table, 1);
    out
}

fn write_table(out: &mut String, table: &Table, depth: usize) {
    let pairs = table.entries().iter().map(|entry| (Some(&*entry.key), &entry.node));
    write_items(out, '{', '}', pairs, depth);
}

fn write_items<'n>(
    out: &mut String,
    open: char,
    close: char,
    items: impl Iterator<Item = (Option<&'n str>, &'n Node)>,
    depth: usize,
) {
    out.push(open);
    let mut is_empty = true;
    for (key, node) in items {
        out.push_str(if is_empty { "\n" } else { ",\n" });
        is_empty = false;
        indent(out, depth);
        if let Some(key) = key {
            out.push_str(&string(key));
            out.push_str(": ");
        }
        write(out, node, depth);
    }
    if !is_empty {
        out.push('\n');
        indent(out, depth - 1);
    }
    out.push(close);
}

fn indent(out: &mut String, depth: usize) {
    out.extend(std::iter::repeat_n("  ", depth));
}

fn write(out: &mut String, node: &Node, depth: usize) {
    match &node.value {
        Value::Null | Value::Unknown => out.push_str("null"),
        Value::Bool(boolean) => out.push_str(if *boolean { "true" } else { "false" }),
        Value::Int(Integer::Small(small)) => out.push_str(&small.to_string()),
        Value::Int(Integer::Big(digits)) => out.push_str(digits),
        Value::Float(float) if float.is_nan() => out.push_str("NaN"),
        Value::Float(float) if float.is_infinite() => out.push_str(if *float > 0.0 { "Infinity" } else { "-Infinity" }),
        Value::Float(float) => out.push_str(&float_repr(*float)),
        Value::Str(text) => out.push_str(&string(text)),
        Value::Datetime(datetime) => out.push_str(&string(&datetime.to_string())),
        Value::List(items) => write_items(out, '[', ']', items.iter().map(|item| (None, item)), depth + 1),
        Value::Table(table) => write_table(out, table, depth + 1),
    }
}

/// A value as JSON; infinities become null, as in pydantic.
pub(crate) fn to_value(value: &Value) -> Json {
    match value {
        Value::Null | Value::Unknown => Json::Null,
        Value::Bool(boolean) => Json::Bool(*boolean),
        Value::Int(Integer::Small(small)) => Json::from(*small),
        Value::Int(Integer::Big(digits)) => {
            digits.parse::<f64>().ok().and_then(Number::from_f64).map_or(Json::Null, Json::Number)
        }
        Value::Float(float) => Number::from_f64(*float).map_or(Json::Null, Json::Number),
        Value::Str(text) => Json::String(text.to_string()),
        Value::Datetime(datetime) => Json::String(datetime.to_string()),
        Value::List(items) => Json::Array(items.iter().map(|item| to_value(&item.value)).collect()),
        Value::Table(table) => {
            let pair = |entry: &cfg_compose::Entry| (entry.key.to_string(), to_value(&entry.node.value));
            Json::Object(table.entries().iter().map(pair).collect())
        }
    }
}

fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
