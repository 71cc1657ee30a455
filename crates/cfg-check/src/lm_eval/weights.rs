//! Checks that the weights in a folder's index exist.

use std::path::Path;

use cfg_system::{Role, Scope, System};
use serde_json::Value;

/// The file that loaders read first.
const INDEX: &str = "model.safetensors.index.json";

/// A file that the index of a folder names but that does not exist, with the name of the only weights file if there is just one.
/// `None` if all files exist, or if there is no index.
pub(super) fn missing(system: &dyn System, folder: &Path) -> Option<(String, Option<String>)> {
    let index = system.text(&folder.join(INDEX), Role::Model)?;
    let index: Value = serde_json::from_str(&index).ok()?;
    let named: Vec<&str> = index.get("weight_map")?.as_object()?.values().filter_map(Value::as_str).collect();
    let entries = system.list(folder, Scope::Anywhere).ok()?;
    let is_there = |name: &str| entries.iter().any(|entry| entry.name.to_str() == Some(name));
    let missing = named.iter().find(|name| !name.contains(['/', '\\']) && !is_there(name))?;
    let others = entries.iter().filter_map(|entry| entry.name.to_str());
    let mut others = others.filter(|name| name.ends_with(".safetensors") && !named.contains(name));
    let there = others.next().filter(|_| others.next().is_none()).map(str::to_owned);
    Some(((*missing).to_owned(), there))
}
