//! The fields of a table that are given. Most of those that prime-rl's checks and the plan ask for are not.

use std::{
    ops::{Deref, DerefMut},
    slice, vec,
};

use cfg_schema::Node;

use crate::Field;

/// The fields of a table that were given or set, in their order. They are read and changed as a slice; what changes their number keeps track of which there
/// may be, so a field is not exchanged for another one in its place.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    list: Vec<Field>,
    /// A bit for each field that is, or was, in the list. Several fields have the same one only in a table of more than 64.
    known: u64,
}

/// The bit of a field: those of a table have consecutive numbers.
const fn bit(node: Node) -> u64 {
    1 << (node.id() & 63)
}

impl Fields {
    /// No fields.
    pub const fn new() -> Self {
        Self { list: Vec::new(), known: 0 }
    }

    /// No fields, with room for this many.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { list: Vec::with_capacity(capacity), known: 0 }
    }

    /// The place of a field in the list, if it is given.
    #[inline]
    pub fn place_of(&self, node: Node) -> Option<usize> {
        if self.known & bit(node) == 0 { None } else { self.list.iter().position(|field| field.node == node) }
    }

    /// A field, if it is given.
    #[inline]
    pub fn find(&self, node: Node) -> Option<&Field> {
        if self.known & bit(node) == 0 { None } else { self.list.iter().find(|field| field.node == node) }
    }

    /// A field, mutable, if it is given.
    #[inline]
    pub fn find_mut(&mut self, node: Node) -> Option<&mut Field> {
        if self.known & bit(node) == 0 { None } else { self.list.iter_mut().find(|field| field.node == node) }
    }

    /// Whether a field is given.
    #[inline]
    pub fn has(&self, node: Node) -> bool {
        self.find(node).is_some()
    }

    /// Adds a field.
    pub fn push(&mut self, field: Field) {
        self.known |= bit(field.node);
        self.list.push(field);
    }

    /// Removes the last field.
    pub fn pop(&mut self) -> Option<Field> {
        self.list.pop()
    }

    /// Keeps the fields for which this is true, after it may have changed their values.
    pub fn retain(&mut self, is_kept: impl FnMut(&mut Field) -> bool) {
        self.list.retain_mut(is_kept);
    }
}

impl Deref for Fields {
    type Target = [Field];

    fn deref(&self) -> &[Field] {
        &self.list
    }
}

impl DerefMut for Fields {
    fn deref_mut(&mut self) -> &mut [Field] {
        &mut self.list
    }
}

impl Extend<Field> for Fields {
    fn extend<T: IntoIterator<Item = Field>>(&mut self, fields: T) {
        fields.into_iter().for_each(|field| self.push(field));
    }
}

impl IntoIterator for Fields {
    type Item = Field;
    type IntoIter = vec::IntoIter<Field>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl<'f> IntoIterator for &'f Fields {
    type Item = &'f Field;
    type IntoIter = slice::Iter<'f, Field>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

#[cfg(test)]
mod tests {
    use cfg_compose::Origin;
    use cfg_schema::{History, Kind};

    use super::Fields;
    use crate::{Field, Resolved, ResolvedValue};

    #[test]
    fn a_field_is_found_as_long_as_it_is_given() {
        let history = History::built_in();
        let all: Vec<_> = history.root(Kind::Rl).fields(history.newest()).map(|(node, _)| node).collect();
        let field = |node| {
            let resolved = Resolved { value: ResolvedValue::Null, origin: Origin::Default };
            Field { node, resolved, is_set: true }
        };
        let mut fields = Fields::new();
        for (number, node) in all.iter().enumerate() {
            assert!(fields.find(*node).is_none() && fields.place_of(*node).is_none());
            fields.push(field(*node));
            assert_eq!(fields.place_of(*node), Some(number));
        }
        fields.retain(|field| field.node != all[0]);
        assert!(!fields.has(all[0]) && fields.has(all[1]));
        assert_eq!(fields.pop().map(|field| field.node), all.last().copied());
        fields.extend([field(all[0])]);
        assert!(fields.find_mut(all[0]).is_some_and(|field| field.is_set));
        assert!(!fields.has(history.root(Kind::Rl)));
    }
}
