//! The differences between two resolved configs.

use std::collections::{BTreeMap, BTreeSet};

use cfg_compose::{Table, Value};

use crate::emit::{
    faithful::same,
    leaves::{Leaf, leaves},
};

/// A key whose values differ, or that only one side has.
#[derive(Clone, Debug)]
pub struct Difference<'t> {
    /// The dotted key.
    pub key: String,
    /// The value in the first config; `None` if the key is absent there.
    pub one: Option<Leaf<'t>>,
    /// The value in the other config; `None` if the key is absent there.
    pub other: Option<Leaf<'t>>,
}

/// The differences between two complete tables of values, in the order of the keys. A null on one side is skipped if the other has a table there.
pub fn differences<'t>(one: &'t Table, other: &'t Table) -> Vec<Difference<'t>> {
    let mut keys: BTreeMap<String, (Option<Leaf<'t>>, Option<Leaf<'t>>)> = BTreeMap::new();
    for leaf in leaves(one) {
        let sides = keys.entry(leaf.key.clone()).or_default();
        sides.0 = Some(leaf);
    }
    for leaf in leaves(other) {
        let sides = keys.entry(leaf.key.clone()).or_default();
        sides.1 = Some(leaf);
    }
    // The parents of all keys: a null at one of these is a table on the other side.
    let owners: BTreeSet<String> = keys.keys().flat_map(|key| owners(key)).map(str::to_owned).collect();
    let is_placeholder = |leaf: &Leaf<'_>| match leaf.value {
        Value::Null => true,
        Value::Table(table) => table.is_empty(),
        _ => false,
    };
    keys.into_iter()
        .filter_map(|(key, (one, other))| {
            let differs = match (&one, &other) {
                (Some(one), Some(other)) => !same(one.value, other.value),
                (Some(only), None) | (None, Some(only)) => !(is_placeholder(only) && owners.contains(&key)),
                (None, None) => false,
            };
            differs.then_some(Difference { key, one, other })
        })
        .collect()
}

fn owners(key: &str) -> impl Iterator<Item = &str> {
    key.match_indices(['.', '[']).map(|(at, _)| &key[..at])
}
