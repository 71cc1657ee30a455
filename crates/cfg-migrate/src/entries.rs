//! The entries of a table during the migration.

use std::{cell::OnceCell, collections::HashMap, ops::Deref};

use crate::draft::Node;

/// The number of entries up to which a linear search is the fastest.
const LINEAR: usize = 16;

/// Keys with their values, in their order. A key of a table with many entries is found without a look at the others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entries {
    list: Vec<(Box<str>, Node)>,
    /// The index of the first entry of each key; made when it is needed.
    places: OnceCell<HashMap<Box<str>, usize>>,
}

impl From<Vec<(Box<str>, Node)>> for Entries {
    fn from(list: Vec<(Box<str>, Node)>) -> Self {
        Self { list, places: OnceCell::new() }
    }
}

impl FromIterator<(Box<str>, Node)> for Entries {
    fn from_iter<T: IntoIterator<Item = (Box<str>, Node)>>(entries: T) -> Self {
        entries.into_iter().collect::<Vec<_>>().into()
    }
}

impl Deref for Entries {
    type Target = [(Box<str>, Node)];

    fn deref(&self) -> &Self::Target {
        &self.list
    }
}

impl Entries {
    fn place(&self, key: &str) -> Option<usize> {
        if self.list.len() <= LINEAR {
            return self.list.iter().position(|(other, _)| **other == *key);
        }
        let places = self.places.get_or_init(|| {
            // Of two entries of a key, the first is found.
            self.list.iter().enumerate().rev().map(|(place, (key, _))| (key.clone(), place)).collect()
        });
        places.get(key).copied()
    }

    /// The value of a key.
    pub(crate) fn named(&self, key: &str) -> Option<&Node> {
        self.place(key).map(|place| &self.list[place].1)
    }

    /// The value of a key, mutably.
    pub(crate) fn named_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.place(key).map(|place| &mut self.list[place].1)
    }

    /// Adds an entry at the end.
    pub(crate) fn push(&mut self, entry: (Box<str>, Node)) {
        if let Some(places) = self.places.get_mut() {
            places.entry(entry.0.clone()).or_insert(self.list.len());
        }
        self.list.push(entry);
    }

    /// Removes a key, and returns its value. The others move up, so of many keys all are removed with [`Entries::retain`].
    pub(crate) fn remove(&mut self, key: &str) -> Option<Node> {
        let place = self.place(key)?;
        self.places.take();
        Some(self.list.remove(place).1)
    }

    /// Keeps only some entries.
    pub(crate) fn retain(&mut self, mut is_kept: impl FnMut(&str, &Node) -> bool) {
        self.places.take();
        self.list.retain(|(key, node)| is_kept(key, node));
    }

    /// The entries alone.
    pub(crate) fn into_list(self) -> Vec<(Box<str>, Node)> {
        self.list
    }
}

#[cfg(test)]
mod tests {
    use cfg_compose::Value;

    use super::{Entries, LINEAR};
    use crate::draft::{Body, Node};

    #[test]
    fn a_key_is_found_in_a_table_of_any_length() {
        for count in [1, LINEAR, LINEAR + 1, 1_000] {
            let node = |at: usize| Node { id: Some(at), ..Node::made(Body::Leaf(Value::Null)) };
            let mut entries: Entries = (0..count).map(|at| (format!("k{at}").into(), node(at))).collect();
            let of = |entries: &Entries, key: &str| entries.named(key).and_then(|node| node.id);
            assert_eq!(of(&entries, "k0"), Some(0));
            entries.push(("k0".into(), node(count)));
            entries.push(("last".into(), node(count + 1)));
            assert_eq!((of(&entries, "k0"), of(&entries, "last"), of(&entries, "none")), (Some(0), Some(count + 1), None));
            assert_eq!(entries.remove("k0").and_then(|node| node.id), Some(0));
            assert_eq!(
                (of(&entries, "k0"), of(&entries, "last")),
                (Some(count), Some(count + 1)),
                "the second of two keys is left"
            );
            entries.retain(|key, _| key == "last");
            assert_eq!((entries.len(), of(&entries, "last"), of(&entries, "k0")), (1, Some(count + 1), None));
        }
    }
}
