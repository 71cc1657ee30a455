//! A resolved table written down again: the raw values that a file of it holds, each still with its origin.

use cfg_compose::{Entry, Node as RawNode, Origin, Table, Value};
use cfg_schema::{Point, Segment};

use crate::{Resolved, ResolvedTable, ResolvedValue, default::default_of, dump::is_null_a_text};

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

/// What becomes of fields that are at their defaults without being set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defaults {
    /// They are written like all others.
    Written,
    /// They are left out: whoever reads the table finds the same defaults.
    LeftOut,
}

/// How a table is written.
#[derive(Clone, Copy)]
pub(crate) struct Writing {
    pub(crate) point: Point,
    pub(crate) nulls: Nulls,
    pub(crate) defaults: Defaults,
}

/// The raw values of a table with all its fields, by their own names, defaults included.
pub fn written(table: &ResolvedTable, point: Point, nulls: Nulls) -> Table {
    write(table, Writing { point, nulls, defaults: Defaults::Written })
}

pub(crate) fn write(table: &ResolvedTable, how: Writing) -> Table {
    table_of(table, Origin::Default, how)
}

/// The values of a table that comes from `owner`. What a rule of prime-rl made whole, its defaults come from that rule too.
fn table_of(table: &ResolvedTable, owner: Origin, how: Writing) -> Table {
    let mut raw = Table::default();
    let mut add = |name: &str, resolved: &Resolved, is_set: bool| {
        let is_text = matches!(resolved.value, ResolvedValue::Null) && is_null_a_text(table.node, name, how.point);
        let how = if is_text { Writing { nulls: Nulls::AsText, ..how } } else { how };
        if let Some(node) = field_node(resolved, is_set || is_text, how) {
            raw.insert(entry(name, node));
        }
    };
    match how.defaults {
        Defaults::Written => {
            let of_defaults = if owner.made_by().is_some() { owner } else { Origin::Default };
            for (field, interval) in table.node.fields(how.point) {
                let Some(name) = field.field_name() else { continue };
                if interval.is_hidden() {
                    continue;
                }
                match table.fields.iter().find(|given| given.node == field) {
                    Some(given) => add(name, &given.resolved, given.is_set),
                    // What is declared alone has no default that is known.
                    None if interval.is_declared() => {}
                    None => {
                        let made = Resolved { origin: of_defaults, ..default_of(field, interval, how.point).clone() };
                        add(name, &made, false);
                    }
                }
            }
        }
        Defaults::LeftOut => {
            for given in &table.fields {
                let Some(name) = given.node.field_name() else { continue };
                if given.node.at(how.point).is_some_and(|interval| !interval.is_hidden()) {
                    add(name, &given.resolved, given.is_set);
                }
            }
            // Which variant a table is, its reader can't know from the rest.
            if let Segment::Variant(tag) = table.node.segment()
                && table.given("type").is_none()
                && table.node.field("type").is_some_and(|field| field.at(how.point).is_some())
            {
                add("type", &Resolved { value: ResolvedValue::Str(tag.into()), origin: owner }, false);
            }
        }
    }
    for (key, extra) in &table.extra {
        if let Some(node) = extra_node(extra, how.nulls) {
            raw.insert(entry(key, node));
        }
    }
    raw
}

pub(crate) fn entry(key: &str, node: RawNode) -> Entry {
    Entry { key: key.into(), written: None, key_origin: node.origin, node }
}

pub(crate) fn field_node(resolved: &Resolved, is_set: bool, how: Writing) -> Option<RawNode> {
    let is_null = matches!(resolved.value, ResolvedValue::Null);
    let is_written = !is_null || how.nulls == Nulls::Kept || (how.nulls == Nulls::AsText && is_set);
    is_written.then(|| node(resolved, how))
}

/// A value that is no field of a table; null stays here, unless it has a text.
fn node(resolved: &Resolved, how: Writing) -> RawNode {
    let value = match &resolved.value {
        ResolvedValue::Null => null(how.nulls),
        ResolvedValue::Bool(boolean) => Value::Bool(*boolean),
        ResolvedValue::Int(integer) => Value::Int(integer.clone()),
        ResolvedValue::Float(float) => Value::Float(*float),
        ResolvedValue::Str(text) => Value::Str(text.clone()),
        ResolvedValue::Datetime(datetime) => Value::Datetime(*datetime),
        ResolvedValue::List(items) => Value::List(items.iter().map(|item| node(item, how)).collect()),
        ResolvedValue::Map(entries) => {
            let mut map = Table::default();
            for (key, value) in entries {
                if how.nulls != Nulls::Dropped || !matches!(value.value, ResolvedValue::Null) {
                    map.insert(entry(key, node(value, how)));
                }
            }
            Value::Table(map)
        }
        ResolvedValue::Table(table) => Value::Table(table_of(table, resolved.origin, how)),
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
