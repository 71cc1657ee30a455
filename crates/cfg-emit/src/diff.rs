//! Two resolved configs side by side.

use std::collections::{BTreeMap, BTreeSet};

use cfg_compose::{Table, Value};

use crate::{
    faithful::same,
    leaves::{Leaf, leaves},
};

/// A key whose values differ, or that only one side has.
#[derive(Clone, Debug)]
pub struct Difference<'t> {
    /// The dotted key.
    pub key: String,
    /// Its value on the first side.
    pub one: Option<Leaf<'t>>,
    /// Its value on the other side.
    pub other: Option<Leaf<'t>>,
}

/// The differences of two tables of all values, by key. Where a table stands against null, the null is passed over.
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
    // The keys above each key: a null there stands against a table here.
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
