//! Total node counts of a disaggregated deployment become counts per replica. At one commit prime-rl accepted both.

use cfg_compose::{Entry, Table, Value};
use cfg_diag::{Diagnostic, codes};

use super::{Refusal, made_from, python};
use crate::coerce;

pub(super) fn run(table: &mut Table) -> Option<Refusal> {
    let refusal = per_replica(table, "num_prefill_nodes", "prefill_nodes_per_replica", "num_prefill_replicas");
    refusal.or_else(|| per_replica(table, "num_decode_nodes", "decode_nodes_per_replica", "num_decode_replicas"))
}

fn per_replica(table: &mut Table, total: &str, each: &str, replicas: &str) -> Option<Refusal> {
    let is_given = table.get(each).is_some();
    let total = table.remove(total)?;
    if is_given {
        return Some(refused(&total, "value_error", format!("`{each}` already sets this: keep only that key")));
    }
    let nodes = match python::int(&total.node.value) {
        Ok(nodes) => nodes,
        Err(kind) => return Some(not_whole(&total, kind)),
    };
    let copies = match table.get(replicas).map(|entry| (entry, python::int(&entry.node.value))) {
        None => 1,
        Some((_, Ok(copies))) => copies,
        Some((entry, Err(kind))) => return Some(not_whole(entry, kind)),
    };
    match nodes.checked_rem(copies) {
        None => Some(refused(&total, "ZeroDivisionError", format!("`{replicas}` is 0"))),
        Some(0) => {
            let count = Value::Int(coerce::integer(nodes / copies));
            table.insert(made_from(total.node.origin, each, count, "normalize_node_counts"));
            None
        }
        Some(_) => {
            let message = format!("`{}` is {nodes}, which is not a multiple of `{replicas}` = {copies}", total.key);
            Some(refused(&total, "value_error", message))
        }
    }
}

fn not_whole(entry: &Entry, kind: &'static str) -> Refusal {
    refused(entry, kind, format!("`{}` must be a whole number", entry.key))
}

fn refused(entry: &Entry, kind: &'static str, message: String) -> Refusal {
    let code = if kind == "value_error" { &codes::CONTRADICTION } else { &codes::LOADING_CRASHES };
    let mut diagnostic = Diagnostic::new(code, message);
    diagnostic.location = entry.node.origin.place();
    Refusal { diagnostic, kind, check: "normalize_node_counts", doubtful: Vec::new(), validator: "" }
}
