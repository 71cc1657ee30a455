//! GPUs for a teacher imply a teacher: an empty table is put where the orchestrator names none.

use cfg_compose::{Table, Value};

use super::{made, python, table_below};

const BY: &str = "_stub_orchestrator_teacher_for_auto_setup";

pub(super) fn run(table: &mut Table) {
    let deployment = table.get("deployment").and_then(|entry| entry.node.value.as_table());
    let gpus = deployment.and_then(|deployment| deployment.get("num_teacher_gpus"));
    if gpus.is_some_and(|gpus| python::is_true(&gpus.node.value))
        && let Some(orchestrator) = table_below(table, "orchestrator", BY)
        && orchestrator.get("teacher").is_none()
        && orchestrator.get("teacher_model").is_none()
    {
        orchestrator.insert(made("teacher", Value::Table(Table::default()), BY));
    }
}
