//! The walker's result: typed values, each with its origin.

use cfg_compose::{Datetime, Integer, Node as RawNode, Origin};
use cfg_schema::Node;

use crate::Fields;

/// A typed value.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The value.
    pub value: ResolvedValue,
    /// Its origin.
    pub origin: Origin,
}

impl From<ResolvedValue> for Resolved {
    /// A value with the origin of a default.
    fn from(value: ResolvedValue) -> Self {
        Self { value, origin: Origin::Default }
    }
}

/// The value of a field, as prime-rl stores it.
#[derive(Clone, Debug)]
pub enum ResolvedValue {
    /// Null.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer of any size.
    Int(Integer),
    /// A double.
    Float(f64),
    /// A string, a literal or a path.
    Str(Box<str>),
    /// A date or time, which only an untyped field can have.
    Datetime(Datetime),
    /// An array.
    List(Vec<Resolved>),
    /// A map with free keys.
    Map(Vec<(Box<str>, Resolved)>),
    /// A table with known keys.
    Table(Box<ResolvedTable>),
    /// A value with an error, which has been reported.
    Invalid,
}

impl From<ResolvedTable> for ResolvedValue {
    fn from(table: ResolvedTable) -> Self {
        Self::Table(Box::new(table))
    }
}

/// A table with known keys: only the given or set ones. All others have the default of their field.
#[derive(Clone, Debug)]
pub struct ResolvedTable {
    /// Its place in the schema; the variant, if there are several.
    pub node: Node,
    /// The fields that were given or set.
    pub fields: Fields,
    /// Extra keys, which the table does not know but keeps.
    pub extra: Vec<(Box<str>, RawNode)>,
    /// The keys that the table refuses, as they are written: another prime-rl may know them.
    pub refused: Vec<(Box<str>, RawNode)>,
    /// Whether all its fields, and all fields below it, are valid.
    pub is_valid: bool,
}

/// A field with its value.
#[derive(Clone, Debug)]
pub struct Field {
    /// The field.
    pub node: Node,
    /// Its value.
    pub resolved: Resolved,
    /// Whether prime-rl counts it among the fields that were set: it was given, or a validator assigned it. A default with a changed part does not
    /// count.
    pub is_set: bool,
}

impl ResolvedTable {
    /// A table without given keys.
    pub fn new(node: Node) -> Self {
        Self { node, fields: Fields::new(), extra: Vec::new(), refused: Vec::new(), is_valid: true }
    }

    /// The given value of a field, by the field's own name.
    pub fn given(&self, name: &str) -> Option<&Field> {
        self.fields.find(self.node.field(name)?)
    }

    /// The given value of a field, mutable.
    pub(crate) fn given_mut(&mut self, node: Node) -> Option<&mut Field> {
        self.fields.find_mut(node)
    }
}
