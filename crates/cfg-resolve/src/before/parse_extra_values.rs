//! Keys that the vLLM table does not declare are passed on: dashes become underscores, and a string that is JSON becomes its value.

use cfg_compose::{Table, Value, read_json};

use super::Class;

pub(super) fn run(class: Class, table: &mut Table) {
    let is_extra = |key: &str| class.node.field(key).is_none_or(|field| field.at(class.point).is_none());
    let keys: Vec<Box<str>> = table.entries().iter().map(|entry| entry.key.clone()).filter(|key| is_extra(key)).collect();
    for key in keys {
        let Some(mut entry) = table.remove(&key) else { continue };
        if let Value::Str(text) = &entry.node.value
            && let Some(said) = read_json(text, entry.node.origin)
        {
            entry.node = said;
        }
        table.insert(entry.renamed(&key.replace('-', "_")));
    }
}
