//! A resolved table written down again: the raw values that a file of it holds, each still with its origin.

use cfg_compose::{Entry, Node as RawNode, Origin, Table, Value};
use cfg_schema::{Point, Segment};

use crate::{Resolved, ResolvedTable, ResolvedValue, default::default_of};

/// What becomes of null, which TOML cannot write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls {
    /// It is left out.
    Dropped,
    /// It is the text `None` where the field counts as set, and left out elsewhere.
    AsText,
    /// It stays null, as in JSON.
    Kept,
}

/// The raw values of a table with all its fields, by their own names, defaults included.
pub fn written(table: &ResolvedTable, point: Point, nulls: Nulls) -> Table {
    table_of(table, Origin::Default, point, nulls)
}

/// The values of a table that comes from `owner`. What a rule of prime-rl made whole, its defaults come from that rule too.
fn table_of(table: &ResolvedTable, owner: Origin, point: Point, nulls: Nulls) -> Table {
    let of_defaults = if owner.made_by().is_some() { owner } else { Origin::Default };
    let mut raw = Table::default();
    for (field, interval) in table.node.fields(point) {
        let Segment::Field(name) = field.segment() else { continue };
        if interval.is_hidden() {
            continue;
        }
        let given = table.fields.iter().find(|given| given.node == field);
        let made;
        let (resolved, is_set) = match given {
            Some(given) => (&given.resolved, given.is_set),
            None => {
                made = Resolved { origin: of_defaults, ..default_of(field, interval, point) };
                (&made, false)
            }
        };
        if let Some(node) = field_node(resolved, is_set, point, nulls) {
            raw.insert(entry(name, node));
        }
    }
    for (key, extra) in &table.extra {
        if let Some(node) = extra_node(extra, nulls) {
            raw.insert(entry(key, node));
        }
    }
    raw
}

fn entry(key: &str, node: RawNode) -> Entry {
    Entry { key: key.into(), written: None, key_origin: node.origin, node }
}

fn field_node(resolved: &Resolved, is_set: bool, point: Point, nulls: Nulls) -> Option<RawNode> {
    let is_null = matches!(resolved.value, ResolvedValue::Null);
    let is_written = !is_null || nulls == Nulls::Kept || (nulls == Nulls::AsText && is_set);
    is_written.then(|| node(resolved, point, nulls))
}

/// A value that is no field of a table; null stays here, unless it has a text.
fn node(resolved: &Resolved, point: Point, nulls: Nulls) -> RawNode {
    let value = match &resolved.value {
        ResolvedValue::Null => null(nulls),
        ResolvedValue::Bool(boolean) => Value::Bool(*boolean),
        ResolvedValue::Int(integer) => Value::Int(integer.clone()),
        ResolvedValue::Float(float) => Value::Float(*float),
        ResolvedValue::Str(text) => Value::Str(text.clone()),
        ResolvedValue::Datetime(datetime) => Value::Datetime(*datetime),
        ResolvedValue::List(items) => Value::List(items.iter().map(|item| node(item, point, nulls)).collect()),
        ResolvedValue::Map(entries) => {
            let mut map = Table::default();
            for (key, value) in entries {
                if nulls != Nulls::Dropped || !matches!(value.value, ResolvedValue::Null) {
                    map.insert(entry(key, node(value, point, nulls)));
                }
            }
            Value::Table(map)
        }
        ResolvedValue::Table(table) => Value::Table(table_of(table, resolved.origin, point, nulls)),
        ResolvedValue::Invalid => Value::Unknown,
    };
    RawNode { value, origin: resolved.origin }
}

/// A key that the table keeps without knowing it.
fn extra_node(raw: &RawNode, nulls: Nulls) -> Option<RawNode> {
    let value = match &raw.value {
        Value::Null if nulls == Nulls::Dropped => return None,
        Value::Null => null(nulls),
        Value::List(items) => Value::List(items.iter().filter_map(|item| extra_node(item, nulls)).collect()),
        Value::Table(table) => {
            let mut map = Table::default();
            for inner in table.entries() {
                if let Some(node) = extra_node(&inner.node, nulls) {
                    map.insert(entry(&inner.key, node));
                }
            }
            Value::Table(map)
        }
        other => other.clone(),
    };
    Some(RawNode { value, origin: raw.origin })
}

fn null(nulls: Nulls) -> Value {
    if nulls == Nulls::AsText { Value::Str("None".into()) } else { Value::Null }
}

/// An entry of a table that is made for a file, without a place of its own.
pub(crate) fn made(key: &str, value: Value) -> Entry {
    entry(key, RawNode { value, origin: Origin::Default })
}
