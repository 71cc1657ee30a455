//! Total node counts of a disaggregated deployment become counts per replica.

use cfg_compose::{Integer, Origin, Table, Value};

use super::made_from;

pub(super) fn run(table: &mut Table) {
    per_replica(table, "num_prefill_nodes", "prefill_nodes_per_replica", "num_prefill_replicas");
    per_replica(table, "num_decode_nodes", "decode_nodes_per_replica", "num_decode_replicas");
}

fn per_replica(table: &mut Table, total: &str, each: &str, replicas: &str) {
    let count = |table: &Table, key: &str| match table.get(key).map(|entry| crate::coerce::int(&entry.node.value)) {
        Some(Ok((Integer::Small(count), _))) => Some(count),
        _ => None,
    };
    let (Some(nodes), replicas) = (count(table, total), count(table, replicas).unwrap_or(1)) else { return };
    if table.get(each).is_none() && replicas > 0 && nodes % replicas == 0 {
        let source = table.remove(total).map_or(Origin::Default, |entry| entry.node.origin);
        table.insert(made_from(source, each, Value::Int(Integer::Small(nodes / replicas)), "normalize_node_counts"));
    }
}
