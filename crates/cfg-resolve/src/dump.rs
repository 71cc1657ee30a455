//! The resolved config as prime-rl dumps it: every field by its own name, defaults included.

use cfg_compose::Integer;
use cfg_schema::{Node, Point, Segment};
use serde_json::{Map, Number, Value as Json};

use crate::{Resolved, ResolvedTable, ResolvedValue, default::default_of, points, walk};

/// A table with all its fields.
pub fn dump(table: &ResolvedTable, point: Point) -> Json {
    let mut object = Map::new();
    for (field, interval) in table.node.fields(point) {
        let Segment::Field(name) = field.segment() else { continue };
        if interval.is_hidden() {
            continue;
        }
        let json = match table.fields.iter().find(|given| given.node == field) {
            Some(given) => value(&given.resolved, point),
            None => value(&default_of(field, interval, point), point),
        };
        let json = if json.is_null() && is_null_a_text(table.node, name, point) { Json::from("None") } else { json };
        object.insert(name.to_owned(), json);
    }
    for (key, raw) in &table.extra {
        let resolved = Resolved { value: walk::free(raw.value.clone()), origin: raw.origin };
        object.insert(key.to_string(), value(&resolved, point));
    }
    Json::Object(object)
}

/// Whether prime-rl dumps the null of a field as the text `None`, whatever becomes of other nulls: so it did with the orchestrator's
/// renderer, for which null and absence differ.
pub(crate) fn is_null_a_text(table: Node, field: &str, point: Point) -> bool {
    let is_orchestrator = || table.field("pool_size").is_some_and(|size| size.at(point).is_some());
    field == "renderer" && (points::NULL_RENDERER..points::VERIFIERS).contains(&point) && is_orchestrator()
}

fn value(resolved: &Resolved, point: Point) -> Json {
    match &resolved.value {
        ResolvedValue::Null | ResolvedValue::Invalid | ResolvedValue::Datetime(_) => Json::Null,
        ResolvedValue::Bool(boolean) => Json::Bool(*boolean),
        ResolvedValue::Int(Integer::Small(small)) => Json::from(*small),
        ResolvedValue::Int(Integer::Big(digits)) => {
            digits.parse::<f64>().ok().and_then(Number::from_f64).map_or(Json::Null, Json::Number)
        }
        // JSON has neither infinity nor not-a-number; pydantic writes null for them.
        ResolvedValue::Float(float) => Number::from_f64(*float).map_or(Json::Null, Json::Number),
        ResolvedValue::Str(text) => Json::String(text.to_string()),
        ResolvedValue::List(items) => Json::Array(items.iter().map(|item| value(item, point)).collect()),
        ResolvedValue::Map(entries) => {
            Json::Object(entries.iter().map(|(key, entry)| (key.to_string(), value(entry, point))).collect())
        }
        ResolvedValue::Table(table) => dump(table, point),
    }
}
