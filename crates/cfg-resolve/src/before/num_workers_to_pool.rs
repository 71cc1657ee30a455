//! `num_workers` of an environment becomes a static pool of that size; `auto` means the default pool.

use cfg_compose::{Table, Value};

use super::made_from;

const BY: &str = "_migrate_num_workers";

pub(super) fn run(table: &mut Table) {
    let Some(workers) = table.remove("num_workers") else { return };
    if table.get("pool").is_some() || workers.node.value.as_str() == Some("auto") {
        return;
    }
    let source = workers.node.origin;
    let mut pool = Table::default();
    pool.insert(made_from(source, "type", Value::Str("static".into()), BY));
    pool.insert(workers);
    table.insert(made_from(source, "pool", Value::Table(pool), BY));
}
