//! The resolved config as prime-rl dumps it: every field by its own name, defaults included.

mod difference;

use std::borrow::Cow;

use cfg_compose::Integer;
use cfg_schema::{Behaviour, Interval, Node, Point, Segment};
use serde::{Serialize, Serializer};
use serde_json::{Value as Json, value::RawValue};

pub use self::difference::changed_keys;
use crate::{Resolved, ResolvedTable, ResolvedValue, default::default_of, walk};

/// A table with all its fields, as a JSON tree. Integers beyond 64 bits become floats; [`Dump`] writes all their digits.
pub fn dump(table: &ResolvedTable, point: Point) -> Json {
    serde_json::to_value(Dump { table, point }).unwrap_or_default()
}

/// Writes a table with all its fields, as in pydantic's JSON.
#[derive(Clone, Copy, Debug)]
pub struct Dump<'r> {
    /// The table.
    pub table: &'r ResolvedTable,
    /// The point.
    pub point: Point,
}

impl Serialize for Dump<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { table, point } = *self;
        let fields = table.node.fields(point).filter_map(|(field, interval)| match field.segment() {
            Segment::Field(name) if !interval.is_hidden() => Some((name, field, interval)),
            _ => None,
        });
        // A field that is declared without a default is written only if it is given.
        let is_told = |field: Node, interval: Interval| !interval.is_declared() || table.fields.has(field);
        // A key of the default harness is not written for another harness.
        let id = || table.given("id").and_then(|id| id.resolved.value.as_str()).unwrap_or_default();
        let is_of_class = |name: &str| !walk::shipped::is_of_default(name, id()) || !is_harness(table.node);
        let is_there = |name: &str, field: Node, interval: Interval| is_told(field, interval) && is_of_class(name);
        let fields = fields.filter(|(name, field, interval)| is_there(name, *field, *interval)).map(|(name, field, interval)| {
            let given = table.fields.find(field);
            let resolved = given.map_or_else(|| default_of(field, interval, point), |given| &given.resolved);
            let is_text = matches!(resolved.value, ResolvedValue::Null) && is_null_a_text(table.node, name, point);
            let none = || Resolved { value: ResolvedValue::Str("None".into()), origin: resolved.origin };
            let value = if is_text { Cow::Owned(none()) } else { Cow::Borrowed(resolved) };
            (name, Item { value, point })
        });
        let extra = table.extra.iter().map(|(key, raw)| {
            let resolved = Resolved { value: walk::free(raw.value.clone()), origin: raw.origin };
            (&**key, Item { value: Cow::Owned(resolved), point })
        });
        serializer.collect_map(fields.chain(extra))
    }
}

pub(crate) fn is_harness(table: Node) -> bool {
    table.segment() == Segment::Field("harness")
}

/// Whether prime-rl dumps the null of a field as the string `None`, independently of how it writes other nulls. It did so for the orchestrator's
/// renderer, for which null and an absent key mean different things.
pub(crate) fn is_null_a_text(table: Node, field: &str, point: Point) -> bool {
    let is_orchestrator = || table.field("pool_size").is_some_and(|size| size.at(point).is_some());
    field == "renderer" && point.has(Behaviour::NullRenderer) && point.lacks(Behaviour::Verifiers) && is_orchestrator()
}

struct Item<'r> {
    value: Cow<'r, Resolved>,
    point: Point,
}

impl Serialize for Item<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let point = self.point;
        let below = |resolved| Item { value: Cow::Borrowed(resolved), point };
        match &self.value.value {
            ResolvedValue::Null | ResolvedValue::Invalid => serializer.serialize_unit(),
            ResolvedValue::Bool(boolean) => serializer.serialize_bool(*boolean),
            ResolvedValue::Int(Integer::Small(small)) => serializer.serialize_i64(*small),
            ResolvedValue::Int(Integer::Big(digits)) => match RawValue::from_string(digits.to_string()) {
                Ok(raw) => raw.serialize(serializer),
                // Python also refuses to write an integer of more than 4,300 digits.
                Err(_) => serializer.serialize_unit(),
            },
            // JSON has neither infinity nor NaN; pydantic writes null for them, and so does serde_json.
            ResolvedValue::Float(float) => serializer.serialize_f64(*float),
            ResolvedValue::Str(text) => serializer.serialize_str(text),
            ResolvedValue::Datetime(datetime) => serializer.collect_str(datetime),
            ResolvedValue::List(items) => serializer.collect_seq(items.iter().map(below)),
            ResolvedValue::Map(entries) => serializer.collect_map(entries.iter().map(|(key, entry)| (&**key, below(entry)))),
            ResolvedValue::Table(table) => Dump { table, point }.serialize(serializer),
        }
    }
}
