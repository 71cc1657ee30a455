//! The model of a fine-tuning run is also the model of its inference server, unless that names its own. A name that is false in Python counts as no
//! name.

use cfg_compose::{Node, Table};

use super::{made_from, python, table_below};

const BY: &str = "propagate_model_to_inference";

pub(super) fn run(table: &mut Table) {
    let name = |table: &Table| -> Option<Node> { Some(table.get("model")?.node.value.as_table()?.get("name")?.node.clone()) };
    let Some(name) = name(table).filter(|name| python::is_true(&name.value)) else { return };
    let Some(inference) = table.get_mut("inference").and_then(|entry| entry.node.value.as_table_mut()) else { return };
    if let Some(vllm) = table_below(inference, "vllm", BY)
        && vllm.get("model").is_none()
    {
        vllm.insert(made_from(name.origin, "model", name.value, BY));
    }
}
