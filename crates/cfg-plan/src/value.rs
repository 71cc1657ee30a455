//! The types of values in a plan, and how they are read from resolved values.

use cfg_resolve::{Resolved, ResolvedValue};

use crate::{Row, reader::Reader};

/// A type of value in a plan.
pub(crate) trait Value: Clone + Send + Sync + 'static {
    /// The value; `None` if it has another type, or is invalid. `reader` is the table that contains it, `path` its key there.
    fn read(resolved: &Resolved, reader: &Reader<'_>, path: &'static &'static str) -> Option<Self>;

    /// The value that null means; `None` if null means that there is no value.
    fn null() -> Option<Self> {
        None
    }

    /// The fields of the part, if the type is a part.
    fn declared() -> Vec<crate::facts::Declared> {
        Vec::new()
    }

    /// The value as text for a row.
    fn text(&self) -> String;

    /// Adds the rows of the values in it.
    fn rows(&self, _field: &str, _rows: &mut Vec<Row>) {}
}

/// A number, or a word instead of it: `"auto"`, `"disabled"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IntOrWord {
    /// The number.
    Int(i64),
    /// The word.
    Word(Box<str>),
}

impl IntOrWord {
    /// The number; `None` if it is a word.
    pub const fn int(&self) -> Option<i64> {
        if let Self::Int(int) = self { Some(*int) } else { None }
    }

    /// Whether it is this word.
    pub fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word(own) if **own == *word)
    }
}

impl Value for i64 {
    fn read(resolved: &Resolved, _: &Reader<'_>, _: &'static &'static str) -> Option<Self> {
        resolved.value.as_int()
    }

    fn text(&self) -> String {
        self.to_string()
    }
}

impl Value for f64 {
    fn read(resolved: &Resolved, _: &Reader<'_>, _: &'static &'static str) -> Option<Self> {
        resolved.value.as_float()
    }

    fn text(&self) -> String {
        self.to_string()
    }
}

/// A switch. If the value is a table, its presence turns the switch on.
impl Value for bool {
    fn read(resolved: &Resolved, _: &Reader<'_>, _: &'static &'static str) -> Option<Self> {
        match &resolved.value {
            ResolvedValue::Table(_) => Some(true),
            value => value.as_bool(),
        }
    }

    fn null() -> Option<Self> {
        Some(false)
    }

    fn text(&self) -> String {
        self.to_string()
    }
}

/// A string; for a table with several variants, the tag of the selected one.
impl Value for Box<str> {
    fn read(resolved: &Resolved, _: &Reader<'_>, _: &'static &'static str) -> Option<Self> {
        resolved.value.as_str().or_else(|| resolved.value.tag()).map(Into::into)
    }

    fn text(&self) -> String {
        format!("{self:?}")
    }
}

impl Value for IntOrWord {
    fn read(resolved: &Resolved, _: &Reader<'_>, _: &'static &'static str) -> Option<Self> {
        match &resolved.value {
            ResolvedValue::Str(word) => Some(Self::Word(word.clone())),
            value => value.as_int().map(Self::Int),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Int(int) => int.to_string(),
            Self::Word(word) => format!("{word:?}"),
        }
    }
}

/// An array of plain values, or a single value instead of an array. Invalid items are omitted.
impl<T: Value> Value for Vec<T> {
    fn read(resolved: &Resolved, reader: &Reader<'_>, path: &'static &'static str) -> Option<Self> {
        let Some(items) = resolved.value.as_list() else { return Some(vec![T::read(resolved, reader, path)?]) };
        Some(items.iter().filter_map(|item| T::read(item, reader, path)).collect())
    }

    fn text(&self) -> String {
        format!("[{}]", self.iter().map(Value::text).collect::<Vec<_>>().join(", "))
    }
}

/// The entries of a table with free keys.
#[derive(Clone, Debug, Default)]
pub struct Entries(pub Vec<(Box<str>, Resolved)>);

impl Entries {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Resolved> {
        self.0.iter().find(|(name, _)| **name == *key).map(|(_, value)| value)
    }

    /// The integer value of a key.
    pub fn int(&self, key: &str) -> Option<i64> {
        self.get(key)?.value.as_int()
    }

    /// The string value of a key.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.value.as_str()
    }

    /// The boolean value of a key.
    pub fn bool(&self, key: &str) -> Option<bool> {
        self.get(key)?.value.as_bool()
    }
}

impl Value for Entries {
    fn read(resolved: &Resolved, _: &Reader<'_>, _: &'static &'static str) -> Option<Self> {
        resolved.value.as_map().map(|entries| Self(entries.to_vec()))
    }

    fn text(&self) -> String {
        format!("{{{}}}", self.0.iter().map(|(key, _)| &**key).collect::<Vec<_>>().join(", "))
    }
}

/// A table with free keys whose entries are read elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct FreeTable;

impl Value for FreeTable {
    fn read(resolved: &Resolved, _: &Reader<'_>, _: &'static &'static str) -> Option<Self> {
        resolved.value.as_map().map(|_| Self)
    }

    fn text(&self) -> String {
        "table".to_owned()
    }
}
