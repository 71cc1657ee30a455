//! `wandb.shared` is dropped: it no longer has an effect.

use cfg_compose::Table;

pub(super) fn run(table: &mut Table) {
    table.remove("shared");
}
