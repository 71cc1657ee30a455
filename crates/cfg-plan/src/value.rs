//! The types that values of a plan have, and how they are read from resolved values.

use cfg_resolve::{Resolved, ResolvedValue};

use crate::{Row, reader::Reader};

/// A type that a value of a plan may have.
pub(crate) trait Value: Sized {
    /// The value; `None` if it has another type, as a faulty value does. `reader` is the table that holds it, `path` its key there.
    fn read(resolved: &Resolved, reader: &Reader<'_>, path: &'static str) -> Option<Self>;

    /// The meaning of null, if null is a value of its own.
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

/// A number, or a word in its place: `"auto"`, `"disabled"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IntOrWord {
    /// The number.
    Int(i64),
    /// The word.
    Word(Box<str>),
}

impl IntOrWord {
    /// The number, if it is one.
    pub const fn int(&self) -> Option<i64> {
        if let Self::Int(int) = self { Some(*int) } else { None }
    }

    /// Whether it is this word.
    pub fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word(own) if **own == *word)
    }
}

impl Value for i64 {
    fn read(resolved: &Resolved, _: &Reader<'_>, _: &'static str) -> Option<Self> {
        resolved.value.as_int()
    }

    fn text(&self) -> String {
        self.to_string()
    }
}

impl Value for f64 {
    fn read(resolved: &Resolved, _: &Reader<'_>, _: &'static str) -> Option<Self> {
        resolved.value.as_float()
    }

    fn text(&self) -> String {
        self.to_string()
    }
}

/// A switch. If it is a table, the presence of the table turns it on.
impl Value for bool {
    fn read(resolved: &Resolved, _: &Reader<'_>, _: &'static str) -> Option<Self> {
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

/// A text; the tag of a table that is one of several variants.
impl Value for Box<str> {
    fn read(resolved: &Resolved, _: &Reader<'_>, _: &'static str) -> Option<Self> {
        resolved.value.as_str().or_else(|| resolved.value.tag()).map(Into::into)
    }

    fn text(&self) -> String {
        format!("{self:?}")
    }
}

impl Value for IntOrWord {
    fn read(resolved: &Resolved, _: &Reader<'_>, _: &'static str) -> Option<Self> {
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

/// An array of plain values, or a single value in place of an array. Faulty items are left out.
impl<T: Value> Value for Vec<T> {
    fn read(resolved: &Resolved, reader: &Reader<'_>, path: &'static str) -> Option<Self> {
        let Some(items) = resolved.value.as_list() else { return Some(vec![T::read(resolved, reader, path)?]) };
        Some(items.iter().filter_map(|item| T::read(item, reader, path)).collect())
    }

    fn text(&self) -> String {
        format!("[{}]", self.iter().map(Value::text).collect::<Vec<_>>().join(", "))
    }
}

/// Entries with free keys.
#[derive(Clone, Debug, Default)]
pub struct Entries(pub Vec<(Box<str>, Resolved)>);

impl Entries {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Resolved> {
        self.0.iter().find(|(name, _)| **name == *key).map(|(_, value)| value)
    }

    /// The number under a key.
    pub fn int(&self, key: &str) -> Option<i64> {
        self.get(key)?.value.as_int()
    }

    /// The text under a key.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.value.as_str()
    }

    /// The boolean under a key.
    pub fn bool(&self, key: &str) -> Option<bool> {
        self.get(key)?.value.as_bool()
    }
}

impl Value for Entries {
    fn read(resolved: &Resolved, _: &Reader<'_>, _: &'static str) -> Option<Self> {
        resolved.value.as_map().map(|entries| Self(entries.to_vec()))
    }

    fn text(&self) -> String {
        format!("{{{}}}", self.0.iter().map(|(key, _)| &**key).collect::<Vec<_>>().join(", "))
    }
}
