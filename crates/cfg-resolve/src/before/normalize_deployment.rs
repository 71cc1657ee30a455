//! A multi-node deployment drops the GPU counts of the single-node one, so that a file can change only its type.

use cfg_compose::Table;

use super::Class;

const COUNTS: [&str; 4] = ["num_gpus", "num_train_gpus", "num_infer_gpus", "num_teacher_gpus"];

pub(super) fn run(class: Class, table: &mut Table) {
    let Some(deployment) = table.get_mut("deployment").and_then(|entry| entry.node.value.as_table_mut()) else { return };
    if deployment.get("type").and_then(|entry| entry.node.value.as_str()) != Some("multi_node") {
        return;
    }
    let Some(field) = class.node.field("deployment") else { return };
    let exists = |tag: &str, key: &str| {
        field.variant(tag).and_then(|variant| variant.field(key)).is_some_and(|key| key.at(class.point).is_some())
    };
    for key in COUNTS {
        if exists("single_node", key) && !exists("multi_node", key) {
            deployment.remove(key);
        }
    }
}
