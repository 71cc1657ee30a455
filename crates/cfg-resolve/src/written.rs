//! Writes a resolved table: the raw values for a file, each still with its origin.

use cfg_compose::{Entry, Node as RawNode, Origin, Table, Value};
use cfg_schema::{Node as Field, Point, Role, Segment};

use crate::{
    Resolved, ResolvedTable, ResolvedValue,
    default::default_of,
    dump::{is_harness, is_null_a_text},
    walk::{narrow, shipped},
};

/// How null is written, which TOML can't contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls {
    /// It is omitted.
    Dropped,
    /// It is the text `None` if the field counts as set, and otherwise omitted.
    AsText,
    /// It stays null, as in JSON.
    Kept,
}

/// Whether defaults that do not count as set are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defaults {
    /// They are written like all others.
    Written,
    /// They are omitted: the reader of the file has the same defaults.
    LeftOut,
    /// They are written, except in tables whose class comes from an installed package and has its own defaults.
    OfKnownClasses,
}

/// The options for writing a table.
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

/// Like [`written`], without defaults that other classes may not have: a package's class has its own defaults, and perhaps its own keys.
pub fn written_for_any_class(table: &ResolvedTable, point: Point, nulls: Nulls) -> Table {
    write(table, Writing { point, nulls, defaults: Defaults::OfKnownClasses })
}

pub(crate) fn write(table: &ResolvedTable, how: Writing) -> Table {
    table_of(table, Origin::Default, None, how)
}

/// Whether a table's class comes from an installed package. `plugin` is `None` if that is impossible, and otherwise says whether
/// it does so even without an `id`.
fn is_installed(table: &ResolvedTable, plugin: Option<bool>, point: Point) -> bool {
    fn id(table: &ResolvedTable) -> Option<&str> {
        table.given("id")?.resolved.value.as_str().filter(|id| !id.is_empty())
    }
    let taskset = || match &table.given("taskset")?.resolved.value {
        ResolvedValue::Table(taskset) => id(taskset),
        _ => None,
    };
    match (plugin, id(table), narrow::role(table.node)) {
        (None, ..) => false,
        (Some(true), ..) => true,
        _ if shipped::is_class(table.node) => false,
        (_, Some(id), Some(role)) => !shipped::has(role, id, point),
        _ => taskset().is_some_and(|id| !shipped::has(Role::Taskset, id, point)),
    }
}

/// The values of a table with the origin `owner`. If a rule of prime-rl created the whole table, its defaults have that rule as origin too.
fn table_of(table: &ResolvedTable, owner: Origin, plugin: Option<bool>, how: Writing) -> Table {
    let mut raw = Table::default();
    let own = table.node.at(how.point);
    let is_installed = how.defaults == Defaults::OfKnownClasses && is_installed(table, plugin, how.point);
    // Which package provides the class depends on the table around it.
    let plugin_at = |field: Field| {
        let is_looked_up = own.is_some_and(|own| narrow::narrows(own) && narrow::rank(own, field).is_some());
        let is_part = is_installed && narrow::is_part(field);
        (is_looked_up || is_part).then_some(is_part)
    };
    let mut add = |name: &str, resolved: &Resolved, is_set: bool, field: Option<Field>| {
        let is_text = matches!(resolved.value, ResolvedValue::Null) && is_null_a_text(table.node, name, how.point);
        let how = if is_text { Writing { nulls: Nulls::AsText, ..how } } else { how };
        let plugin = field.filter(|_| how.defaults == Defaults::OfKnownClasses).and_then(plugin_at);
        if let Some(node) = field_node_of(resolved, is_set || is_text, plugin, how) {
            raw.insert(entry(name, node));
        }
    };
    match how.defaults {
        Defaults::Written | Defaults::OfKnownClasses => {
            let of_defaults = if owner.made_by().is_some() { owner } else { Origin::Default };
            for (field, interval) in table.node.fields(how.point) {
                let Some(name) = field.field_name() else { continue };
                if interval.is_hidden() {
                    continue;
                }
                match table.fields.find(field) {
                    Some(given) => add(name, &given.resolved, given.is_set, Some(field)),
                    // A field that is declared without a default has no known value.
                    None if interval.is_declared() || is_installed => {}
                    None if how.defaults == Defaults::OfKnownClasses && is_of_another_harness(table, name) => {}
                    None => {
                        let made = Resolved { origin: of_defaults, ..default_of(field, interval, how.point).clone() };
                        add(name, &made, false, None);
                    }
                }
            }
        }
        Defaults::LeftOut => {
            for given in &table.fields {
                let Some(name) = given.node.field_name() else { continue };
                if given.node.at(how.point).is_some_and(|interval| !interval.is_hidden()) {
                    add(name, &given.resolved, given.is_set, None);
                }
            }
            // The tag is always written: a reader can't find the variant of a table without it.
            if let Segment::Variant(tag) = table.node.segment()
                && table.given("type").is_none()
                && table.node.field("type").is_some_and(|field| field.at(how.point).is_some())
            {
                add("type", &Resolved { value: ResolvedValue::Str(tag.into()), origin: owner }, false, None);
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

/// Whether a field belongs to the default harness, and the table names another.
fn is_of_another_harness(table: &ResolvedTable, field: &str) -> bool {
    let id = || table.given("id").and_then(|id| id.resolved.value.as_str()).unwrap_or_default();
    is_harness(table.node) && shipped::is_of_default(field, id())
}

pub(crate) fn field_node(resolved: &Resolved, is_set: bool, how: Writing) -> Option<RawNode> {
    field_node_of(resolved, is_set, None, how)
}

fn field_node_of(resolved: &Resolved, is_set: bool, plugin: Option<bool>, how: Writing) -> Option<RawNode> {
    let is_null = matches!(resolved.value, ResolvedValue::Null);
    let is_written = !is_null || how.nulls == Nulls::Kept || (how.nulls == Nulls::AsText && is_set);
    is_written.then(|| node(resolved, plugin, how))
}

/// The raw value of something other than a table's field; null is kept unless it is written as text.
fn node(resolved: &Resolved, plugin: Option<bool>, how: Writing) -> RawNode {
    let value = match &resolved.value {
        ResolvedValue::Null => null(how.nulls),
        ResolvedValue::Bool(boolean) => Value::Bool(*boolean),
        ResolvedValue::Int(integer) => Value::Int(integer.clone()),
        ResolvedValue::Float(float) => Value::Float(*float),
        ResolvedValue::Str(text) => Value::Str(text.clone()),
        ResolvedValue::Datetime(datetime) => Value::Datetime(*datetime),
        ResolvedValue::List(items) => Value::List(items.iter().map(|item| node(item, plugin, how)).collect()),
        ResolvedValue::Map(entries) => {
            let mut map = Table::default();
            for (key, value) in entries {
                if how.nulls != Nulls::Dropped || !matches!(value.value, ResolvedValue::Null) {
                    map.insert(entry(key, node(value, None, how)));
                }
            }
            Value::Table(map)
        }
        ResolvedValue::Table(table) => Value::Table(table_of(table, resolved.origin, plugin, how)),
        ResolvedValue::Invalid => Value::Unknown,
    };
    RawNode { value, origin: resolved.origin }
}

/// An extra key, which the table keeps without knowing it.
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

/// An entry of a table that is created for a file, without a location of its own.
pub(crate) fn made(key: &str, value: Value) -> Entry {
    entry(key, RawNode { value, origin: Origin::Default })
}
