//! GPUs for a teacher imply a teacher: an empty table is put where the orchestrator names none.

use cfg_compose::{Integer, Table, Value};

use super::{made, table_below};

const BY: &str = "_stub_orchestrator_teacher_for_auto_setup";

pub(super) fn run(table: &mut Table) {
    let deployment = table.get("deployment").and_then(|entry| entry.node.value.as_table());
    let gpus = deployment.and_then(|deployment| deployment.get("num_teacher_gpus")).map(|entry| &entry.node.value);
    // Python's notion of truth: neither absent, null, false, zero, nor empty.
    let wanted = match gpus {
        None | Some(Value::Null | Value::Bool(false) | Value::Int(Integer::Small(0))) => false,
        Some(Value::Float(float)) => *float != 0.0,
        Some(Value::Str(text)) => !text.is_empty(),
        Some(Value::List(items)) => !items.is_empty(),
        Some(Value::Table(inner)) => !inner.is_empty(),
        Some(_) => true,
    };
    if wanted
        && let Some(orchestrator) = table_below(table, "orchestrator", BY)
        && orchestrator.get("teacher").is_none()
        && orchestrator.get("teacher_model").is_none()
    {
        orchestrator.insert(made("teacher", Value::Table(Table::default()), BY));
    }
}
