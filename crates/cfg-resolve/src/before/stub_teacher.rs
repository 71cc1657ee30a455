//! If GPUs are reserved for a teacher and the orchestrator has none, an empty table of a teacher is added.

use cfg_compose::{Table, Value};

use super::{made_from, python, table_below};

const BY: &str = "_stub_orchestrator_teacher_for_auto_setup";

pub(super) fn run(table: &mut Table) {
    let deployment = table.get("deployment").and_then(|entry| entry.node.value.as_table());
    let gpus = deployment.and_then(|deployment| deployment.get("num_teacher_gpus"));
    let Some(source) = gpus.filter(|gpus| python::is_true(&gpus.node.value)).map(|gpus| gpus.node.origin) else { return };
    if let Some(orchestrator) = table_below(table, "orchestrator", BY)
        && orchestrator.get("teacher").is_none()
        && orchestrator.get("teacher_model").is_none()
    {
        orchestrator.insert(made_from(source, "teacher", Value::Table(Table::default()), BY));
    }
}
