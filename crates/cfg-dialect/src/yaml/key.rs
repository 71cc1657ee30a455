//! The keys of a mapping as `PyYAML` reads them: `on` is true, `0x1` is one, and `"1"` is a string.

use cfg_compose::{Entry, Node, Origin, Table, Value};
use cfg_diag::Location;
use cfg_syntax::Integer;

/// The key of a mapping.
#[derive(Debug)]
pub(super) struct Key {
    /// The key as a string; for another type of value, its usual notation: `true`, `1`.
    pub(super) name: Box<str>,
    /// How the file writes the key, if it is not a string.
    pub(super) written: Option<Box<str>>,
    pub(super) at: Location,
}

impl Key {
    /// The key with this value, written as `written`; `None` if the value is unknown.
    pub(super) fn of(value: &Value, written: &str, at: Location) -> Option<Self> {
        let name = match value {
            Value::Str(text) => return Some(Self { name: text.clone(), written: None, at }),
            Value::Null => "null".to_owned(),
            Value::Bool(value) => value.to_string(),
            Value::Int(Integer::Small(number)) => number.to_string(),
            Value::Int(Integer::Big(digits)) => digits.to_string(),
            // In Python 1.0 and 1 are equal, so a dictionary has only one of them.
            Value::Float(number) if number.is_finite() => number.to_string(),
            _ => return None,
        };
        Some(Self { name: name.into(), written: Some(written.into()), at })
    }

    /// The entry with this key.
    pub(super) fn entry(self, node: Node) -> Entry {
        Entry { key: self.name, written: self.written, key_origin: Origin::File(self.at), node }
    }
}

/// Whether an entry can be added to a table.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Insertion {
    /// Its key is new.
    New,
    /// The table already has this key.
    Taken(Option<Location>),
    /// The table has another key with the same name, such as `1` and `"1"`, or an equal one with another name, such as `1` and `true`. Our table
    /// can't represent both.
    Mixed,
}

impl Insertion {
    pub(super) fn of(table: &Table, name: &str, is_text: bool) -> Self {
        let twin = match name {
            "true" => "1",
            "1" => "true",
            "false" => "0",
            "0" => "false",
            _ => "",
        };
        let is_other = |entry: &Entry| entry.written.is_some();
        match table.get(name) {
            Some(first) if is_other(first) == is_text => Self::Mixed,
            Some(first) => Self::Taken(first.key_origin.place()),
            None if !is_text && !twin.is_empty() && table.get(twin).is_some_and(is_other) => Self::Mixed,
            None => Self::New,
        }
    }
}
