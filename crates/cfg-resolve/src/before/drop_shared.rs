//! `wandb.shared` no longer has a meaning and is dropped.

use cfg_compose::Table;

pub(super) fn run(table: &mut Table) {
    table.remove("shared");
}
