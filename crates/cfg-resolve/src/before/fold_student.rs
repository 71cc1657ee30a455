//! `client` and `model` of the orchestrator move under `student`; keys of a model that are in `student` itself move under
//! `student.model`.

use cfg_compose::{Entry, Table, Value};

use super::{Class, made, table_below};

const BY: &str = "fold_student_shortcuts";

pub(super) fn run(class: Class, table: &mut Table) {
    client(table);
    model(table);
    let student_class = class.node.field("student").and_then(|student| student.field("model"));
    let model_keys: Vec<&str> = student_class
        .into_iter()
        .flat_map(|model| model.fields(class.point))
        .filter_map(|(field, _)| field.field_name())
        .collect();
    let Some(student) = table.get_mut("student").and_then(|entry| entry.node.value.as_table_mut()) else { return };
    let flat: Vec<Entry> = model_keys.iter().filter_map(|key| student.remove(key)).collect();
    if flat.is_empty() {
        return;
    }
    if let Some(model) = table_below(student, "model", BY) {
        flat.into_iter().for_each(|entry| model.insert(entry));
    }
}

fn client(table: &mut Table) {
    // A client that is not a table is dropped silently.
    let Some(entry) = table.remove("client").filter(|entry| entry.node.value.as_table().is_some()) else { return };
    match table_below(table, "student", BY) {
        Some(student) => {
            if student.get("client").is_none() {
                student.insert(made("client", Value::Table(Table::default()), BY));
            }
            if let (Some(into), Value::Table(legacy)) = (student.get_mut("client"), entry.node.value) {
                match &mut into.node.value {
                    Value::Table(client) => merge(client, &legacy),
                    other => *other = Value::Table(legacy),
                }
            }
        }
        None => table.insert(entry),
    }
}

fn model(table: &mut Table) {
    let Some(legacy) = table.remove("model").filter(|entry| !matches!(entry.node.value, Value::Null)) else { return };
    match table.get_mut("student").map(|student| &mut student.node.value) {
        None | Some(Value::Null) => table.insert(legacy.renamed("student")),
        Some(Value::Table(student)) if legacy.node.value.as_table().is_some() => {
            if let Value::Table(legacy) = &legacy.node.value {
                merge(student, legacy);
            }
        }
        Some(_) => table.insert(legacy),
    }
}

/// Merges `from` over `into`, table by table.
fn merge(into: &mut Table, from: &Table) {
    for entry in from.entries() {
        match (into.get_mut(&entry.key).map(|old| &mut old.node.value), &entry.node.value) {
            (Some(Value::Table(old)), Value::Table(new)) => merge(old, new),
            _ => into.insert(entry.clone()),
        }
    }
}
