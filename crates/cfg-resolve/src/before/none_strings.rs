//! `"None"` means null, for every key of the table itself.

use cfg_compose::{Table, Value};

pub(super) fn run(table: &mut Table) {
    for (_, node) in table.nodes_mut() {
        if node.value.as_str() == Some("None") {
            node.value = Value::Null;
        }
    }
}
