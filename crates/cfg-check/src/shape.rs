//! The structure of a table of values, for parsed and for composed tables: enough to determine the kind.

use cfg_compose::Value;
use cfg_syntax::ValueKind;

/// The shape of a value.
pub(crate) enum Shape<'a, T> {
    Table(&'a T),
    Array,
    String,
    /// Any other value.
    Other,
    /// A value that is still being typed.
    Unknown,
}

/// A table whose structure can be read.
pub(crate) trait Shaped: Sized {
    /// Its keys with the shapes of their values.
    fn shapes(&self) -> impl Iterator<Item = (&str, Shape<'_, Self>)>;

    /// The shape of a key's value.
    fn shape_of(&self, key: &str) -> Option<Shape<'_, Self>>;

    /// The tables among the items of an array.
    fn tables_of(&self, key: &str) -> Vec<&Self>;
}

impl Shaped for cfg_syntax::Table {
    fn shapes(&self) -> impl Iterator<Item = (&str, Shape<'_, Self>)> {
        self.entries.iter().map(|entry| (&*entry.key.text, written(&entry.value.kind)))
    }

    fn shape_of(&self, key: &str) -> Option<Shape<'_, Self>> {
        self.get(key).map(|entry| written(&entry.value.kind))
    }

    fn tables_of(&self, key: &str) -> Vec<&Self> {
        self.value(key).map_or(&[][..], cfg_syntax::Value::items).iter().filter_map(cfg_syntax::Value::as_table).collect()
    }
}

fn written(value: &ValueKind) -> Shape<'_, cfg_syntax::Table> {
    match value {
        ValueKind::Table(table) => Shape::Table(table),
        ValueKind::Array(_) => Shape::Array,
        ValueKind::String(_) => Shape::String,
        ValueKind::Missing | ValueKind::Invalid => Shape::Unknown,
        _ => Shape::Other,
    }
}

impl Shaped for cfg_compose::Table {
    fn shapes(&self) -> impl Iterator<Item = (&str, Shape<'_, Self>)> {
        self.entries().iter().map(|entry| (&*entry.key, composed(&entry.node.value)))
    }

    fn shape_of(&self, key: &str) -> Option<Shape<'_, Self>> {
        self.get(key).map(|entry| composed(&entry.node.value))
    }

    fn tables_of(&self, key: &str) -> Vec<&Self> {
        let items = match self.get(key).map(|entry| &entry.node.value) {
            Some(Value::List(items)) => items.as_slice(),
            _ => &[],
        };
        items.iter().filter_map(|item| item.value.as_table()).collect()
    }
}

fn composed(value: &Value) -> Shape<'_, cfg_compose::Table> {
    match value {
        Value::Table(table) => Shape::Table(table),
        Value::List(_) => Shape::Array,
        Value::Str(_) => Shape::String,
        Value::Unknown => Shape::Unknown,
        _ => Shape::Other,
    }
}
