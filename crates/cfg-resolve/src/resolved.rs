//! What the walker yields: typed values, each with its origin.

use cfg_compose::{Datetime, Integer, Node as RawNode, Origin};
use cfg_schema::Node;

/// A typed value.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The value.
    pub value: ResolvedValue,
    /// Where it comes from.
    pub origin: Origin,
}

/// The value of a field, as prime-rl holds it.
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
    /// A date or time, in a place where anything may stand.
    Datetime(Datetime),
    /// An array.
    List(Vec<Resolved>),
    /// A map with free keys.
    Map(Vec<(Box<str>, Resolved)>),
    /// A table with known keys.
    Table(ResolvedTable),
    /// There is a fault, which has been reported.
    Invalid,
}

/// A table with known keys: only what was given. What was not is the default of its field.
#[derive(Clone, Debug)]
pub struct ResolvedTable {
    /// Its place in the schema; the variant, where it is one of several.
    pub node: Node,
    /// The fields that were given.
    pub fields: Vec<(Node, Resolved)>,
    /// Keys that the table does not know but keeps.
    pub extra: Vec<(Box<str>, RawNode)>,
    /// Whether every field of it, and below it, is as it must be.
    pub is_valid: bool,
}

impl ResolvedTable {
    /// The given value of a field, by the field's own name.
    pub fn get(&self, name: &str) -> Option<&Resolved> {
        let node = self.node.field(name)?;
        self.fields.iter().find(|(field, _)| *field == node).map(|(_, value)| value)
    }
}
