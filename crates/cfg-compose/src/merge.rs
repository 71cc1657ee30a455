//! Merges one table over another.

use crate::{Entry, Node, Origin, Table, Value, loader::Merge};

impl Table {
    /// Merges `other` over this table.
    pub(crate) fn merge(&mut self, other: Self, how: Merge) {
        match how {
            Merge::Shallow => other.into_entries().into_iter().for_each(|entry| self.insert(entry)),
            Merge::Deep => self.merge_deep(other),
        }
    }

    /// Merges `other` over this table, as a second pass of the loader does.
    pub fn lay_over(&mut self, other: Self) {
        self.merge_deep(other);
    }

    /// Merges `other` over this table: tables are merged key by key, everything else is replaced.
    pub(crate) fn merge_deep(&mut self, other: Self) {
        for entry in other.into_entries() {
            let below = self.get_mut(&entry.key).and_then(|below| below.node.value.as_table_mut());
            match (below, entry.node.value) {
                (Some(below), Value::Table(over)) => below.merge_deep(over),
                (_, value) => {
                    let node = Node { value, origin: entry.node.origin };
                    self.insert(Entry { key: entry.key, written: entry.written, key_origin: entry.key_origin, node });
                }
            }
        }
    }

    /// The table at a path of keys, created if it does not exist. `None` if there is another value.
    pub fn table_at(&mut self, path: &[impl AsRef<str>], origin: Origin) -> Option<&mut Self> {
        let mut table = self;
        for key in path.iter().map(AsRef::as_ref) {
            if table.get(key).is_none() {
                table.insert(wrapped(key, Node { value: Value::Table(Self::default()), origin }, origin));
            }
            table = table.get_mut(key)?.node.value.as_table_mut()?;
        }
        Some(table)
    }

    /// A table with a single value, below a path of keys.
    pub(crate) fn nested(path: &str, node: Node, key_origin: Origin) -> Self {
        let mut keys = path.rsplit('.');
        let last = keys.next().unwrap_or_default();
        let mut table = Self::default();
        table.insert(wrapped(last, node, key_origin));
        for key in keys {
            let inner = Node { value: Value::Table(table), origin: key_origin };
            table = Self::default();
            table.insert(wrapped(key, inner, key_origin));
        }
        table
    }
}

/// An entry for an argument of the command line.
pub(crate) fn wrapped(key: &str, node: Node, key_origin: Origin) -> Entry {
    Entry { key: key.into(), written: None, key_origin, node }
}
