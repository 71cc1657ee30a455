//! Defaults: the value of a field that is not given.

use std::collections::HashMap;

use cfg_compose::{Integer, Origin};
use cfg_schema::{Interval, Node, NodeMap, Point, TypeKind};
use serde_json::Value as Json;

use crate::{Resolved, ResolvedTable, ResolvedValue, resolved::Field};

/// The value of a field that is not given; `interval` is the field's interval at the point. It is created on first use and cached: a config needs
/// several hundred.
pub(crate) fn default_of(node: Node, interval: Interval, point: Point) -> &'static Resolved {
    static KNOWN: NodeMap<Resolved, 2048> = NodeMap::new();
    KNOWN.of(node, point, || Resolved { value: value(node, interval, point), origin: Origin::Default })
}

/// The bytes for a value without a text, in whatever a config is written or compared as.
const OF_A_VALUE: u64 = 64;

/// The bytes of all defaults of the class at a node, those of tables in it included: what a table of this class adds to a config in which none of its keys
/// is given.
pub(crate) fn size(node: Node, point: Point) -> u64 {
    static KNOWN: NodeMap<u64, 1024> = NodeMap::new();
    *KNOWN.of(node, point, || below(node, point, &mut HashMap::new()))
}

/// The same; `known` has what was counted already, because classes share the tables in them.
fn below(node: Node, point: Point, known: &mut HashMap<u32, u64>) -> u64 {
    if let Some(size) = known.get(&node.id()) {
        return *size;
    }
    let of_field = |(field, interval): (Node, Interval)| {
        let text = interval.default_json().map_or(0, str::len) as u64;
        let within = untouched_table(field, interval).filter(|table| table.at(point).is_some());
        within.map_or(0, |table| below(table, point, known)).saturating_add(OF_A_VALUE + text)
    };
    let size = node.fields(point).map(of_field).fold(OF_A_VALUE, u64::saturating_add);
    known.insert(node.id(), size);
    size
}

fn value(node: Node, interval: Interval, point: Point) -> ResolvedValue {
    let Some(text) = interval.default_json() else {
        // A required field has no default. That of an optional field is unknown here.
        return if interval.is_required() || is_table(interval) { ResolvedValue::Null } else { ResolvedValue::Invalid };
    };
    match text {
        "null" => ResolvedValue::Null,
        "true" => ResolvedValue::Bool(true),
        "false" => ResolvedValue::Bool(false),
        "{}" if is_table(interval) => ResolvedTable::new(table_node(node, interval)).into(),
        _ => scalar(text, interval).unwrap_or_else(|| {
            let json = serde_json::from_str(text).unwrap_or(Json::Null);
            let variants = interval.default_variant_json().and_then(|json| serde_json::from_str(json).ok()).unwrap_or(Json::Null);
            from_json(&json, &variants, node, interval, point)
        }),
    }
}

/// The class of the table that is the default of a field, if all its keys have their own defaults.
pub(crate) fn untouched_table(node: Node, interval: Interval) -> Option<Node> {
    (interval.default_json() == Some("{}") && !interval.is_required() && is_table(interval)).then(|| table_node(node, interval))
}

/// A number, or a string without escapes: most defaults are one of these and need no JSON parser.
fn scalar(text: &str, interval: Interval) -> Option<ResolvedValue> {
    let is_float = || interval.field_type().kind() == TypeKind::Float;
    match text.as_bytes().first()? {
        b'"' => {
            let inner = text.strip_prefix('"')?.strip_suffix('"')?;
            (!inner.contains('\\')).then(|| ResolvedValue::Str(inner.into()))
        }
        b'-' | b'0'..=b'9' => match text.parse().ok().filter(|_| !is_float()) {
            Some(integer) => Some(ResolvedValue::Int(Integer::Small(integer))),
            None => text.parse().ok().map(ResolvedValue::Float),
        },
        _ => None,
    }
}

fn is_table(interval: Interval) -> bool {
    let ty = interval.field_type();
    matches!(ty.kind(), TypeKind::Table(_)) || ty.discriminator().is_some()
}

/// The node of a default that is a table; its variant, if there are several.
fn table_node(node: Node, interval: Interval) -> Node {
    interval.default_variant().and_then(|tag| node.variant(tag)).unwrap_or(node)
}

fn from_json(json: &Json, variants: &Json, node: Node, interval: Interval, point: Point) -> ResolvedValue {
    match json {
        Json::Object(object) if is_table(interval) => table(object, table_node(node, interval), point),
        Json::Array(items) if interval.field_type().kind() == TypeKind::List => {
            let item_node = node.item().unwrap_or(node);
            let item = |(index, item): (usize, &Json)| {
                let tag = variants.get(index).and_then(Json::as_str);
                let place = tag.and_then(|tag| item_node.variant(tag)).unwrap_or(item_node);
                let value = match item {
                    Json::Object(object) if place.at(point).is_some() => table(object, place, point),
                    other => plain(other, float_items(interval)),
                };
                Resolved { value, origin: Origin::Default }
            };
            ResolvedValue::List(items.iter().enumerate().map(item).collect())
        }
        other => plain(other, interval.field_type().kind() == TypeKind::Float),
    }
}

fn float_items(interval: Interval) -> bool {
    interval.field_type().members().next().is_some_and(|item| item.kind() == TypeKind::Float)
}

fn table(object: &serde_json::Map<String, Json>, node: Node, point: Point) -> ResolvedValue {
    let mut table = ResolvedTable::new(node);
    for (key, json) in object {
        let Some((field, interval)) = node.field(key).and_then(|field| Some((field, field.at(point)?))) else { continue };
        let resolved = Resolved { value: from_json(json, &Json::Null, field, interval, point), origin: Origin::Default };
        table.fields.push(Field { node: field, resolved, is_set: true });
    }
    table.into()
}

/// The default as a value without known keys.
fn plain(json: &Json, as_float: bool) -> ResolvedValue {
    let resolved = |value: ResolvedValue| Resolved { value, origin: Origin::Default };
    match json {
        Json::Null => ResolvedValue::Null,
        Json::Bool(boolean) => ResolvedValue::Bool(*boolean),
        Json::Number(number) => match number.as_i64().filter(|_| !as_float) {
            Some(integer) => ResolvedValue::Int(Integer::Small(integer)),
            None => ResolvedValue::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => ResolvedValue::Str(text.as_str().into()),
        Json::Array(items) => ResolvedValue::List(items.iter().map(|item| resolved(plain(item, as_float))).collect()),
        Json::Object(object) => {
            ResolvedValue::Map(object.iter().map(|(key, json)| (key.as_str().into(), resolved(plain(json, false)))).collect())
        }
    }
}
