//! The values of JSON that prime-rl's loaders read with Python's `json`; of duplicate keys the last one counts.

use cfg_diag::{Location, Span};
use cfg_syntax::{
    Integer,
    json::{self, Fault, Kind, Style},
};

use crate::{Entry, Node, Origin, Table, Value};

/// The place of a JSON text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum JsonPlace {
    /// Its bytes are at this location of a file.
    At(Location),
    /// It is quoted, so that all of it has one place.
    Whole(Origin),
}

/// Reads a text that is one value. `origin` gives the origin of a part of it.
pub(crate) fn parse(text: &str, place: JsonPlace, origin: fn(Location) -> Origin) -> Result<Node, Fault> {
    Ok(Places { place, origin }.node(json::parse(text, Style::Python)?))
}

/// The value of a string that is a JSON text, if it is one; all of it has the origin of that string.
pub fn read_quoted(text: &str, origin: Origin) -> Option<Node> {
    parse(text, JsonPlace::Whole(origin), Origin::File).ok()
}

struct Places {
    place: JsonPlace,
    origin: fn(Location) -> Origin,
}

impl Places {
    fn origin(&self, span: Span) -> Origin {
        match self.place {
            JsonPlace::Whole(origin) => origin,
            JsonPlace::At(location) => {
                let base = location.span.start;
                (self.origin)(Location::new(location.file, Span::new(base + span.start, base + span.end)))
            }
        }
    }

    fn node(&self, node: json::Node) -> Node {
        let value = match node.kind {
            Kind::Null => Value::Null,
            Kind::Bool(is) => Value::Bool(is),
            Kind::Number(digits) => number(&digits),
            Kind::String(text) => Value::Str(text),
            Kind::Array(items) => Value::List(items.into_iter().map(|item| self.node(item)).collect()),
            Kind::Object(members) => {
                let mut table = Table::default();
                for member in members {
                    table.insert(Entry {
                        key: member.key,
                        written: None,
                        key_origin: self.origin(member.key_span),
                        node: self.node(member.value),
                    });
                }
                Value::Table(table)
            }
        };
        Node { value, origin: self.origin(node.span) }
    }
}

fn number(digits: &str) -> Value {
    match digits {
        "NaN" => Value::Float(f64::NAN),
        "Infinity" => Value::Float(f64::INFINITY),
        "-Infinity" => Value::Float(f64::NEG_INFINITY),
        _ if digits.contains(['.', 'e', 'E']) => Value::Float(digits.parse().unwrap_or(f64::NAN)),
        _ => Value::Int(digits.parse().map_or_else(|_| Integer::Big(digits.into()), Integer::Small)),
    }
}

#[cfg(test)]
mod tests {
    use super::{JsonPlace, parse};
    use crate::{Origin, Value};

    #[test]
    fn values_of_json_are_those_of_python() {
        let read = |text: &str| parse(text, JsonPlace::Whole(Origin::Default), Origin::File).map(|node| node.value);
        assert!(matches!(read("{\"a\": 1, \"a\": {}}"), Ok(Value::Table(table)) if table.entries().len() == 1));
        assert!(matches!(read("123456789012345678901234567890"), Ok(Value::Int(_))));
        assert!(matches!(read("-Infinity"), Ok(Value::Float(float)) if float == f64::NEG_INFINITY));
        assert!(matches!(read("[-2.5e3, \"x\", null]"), Ok(Value::List(items)) if items.len() == 3));
    }
}
