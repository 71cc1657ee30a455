//! `wandb.shared` has no meaning any more and is dropped.

use cfg_compose::Table;

pub(super) fn run(table: &mut Table) {
    table.remove("shared");
}
