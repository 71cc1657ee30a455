//! A table as a list of scalar values by dotted key.

use cfg_compose::{Origin, Table, Value};

use crate::emit::toml;

/// A value with its key and its origin.
#[derive(Clone, Debug)]
pub struct Leaf<'t> {
    /// The dotted key from the root: `trainer.optim.lr`, `orchestrator.env[0].id`.
    pub key: String,
    /// The value.
    pub value: &'t Value,
    /// Where it comes from.
    pub origin: Origin,
}

/// The leaves of a table, in its order. An array of tables is expanded item by item; any other array is one value, and so is an empty table.
pub fn leaves(table: &Table) -> Vec<Leaf<'_>> {
    let mut leaves = Vec::new();
    for entry in table.entries() {
        collect(toml::key(&entry.key), &entry.node.value, entry.node.origin, &mut leaves);
    }
    leaves
}

fn collect<'t>(key: String, value: &'t Value, origin: Origin, leaves: &mut Vec<Leaf<'t>>) {
    match value {
        Value::Table(table) if !table.is_empty() => {
            for entry in table.entries() {
                let key = format!("{key}.{}", toml::key(&entry.key));
                collect(key, &entry.node.value, entry.node.origin, leaves);
            }
        }
        Value::List(items) if !items.is_empty() && items.iter().all(|item| matches!(item.value, Value::Table(_))) => {
            for (index, item) in items.iter().enumerate() {
                collect(format!("{key}[{index}]"), &item.value, item.origin, leaves);
            }
        }
        value => leaves.push(Leaf { key, value, origin }),
    }
}

impl Leaf<'_> {
    /// The value in TOML; `null` if it is null.
    pub fn text(&self) -> String {
        toml::inline(self.value)
    }

    /// The value as JSON.
    pub fn json(&self) -> serde_json::Value {
        crate::emit::json::to_value(self.value)
    }

    /// Whether the leaf's key is `key` or below it.
    pub fn lies_in(&self, key: &str) -> bool {
        match self.key.strip_prefix(key) {
            Some(rest) => key.is_empty() || rest.is_empty() || rest.starts_with(['.', '[']),
            None => false,
        }
    }
}
