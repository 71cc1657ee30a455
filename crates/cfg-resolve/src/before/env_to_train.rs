//! `env` and `sampling` of the orchestrator move under `train`; values that are already there take precedence.

use cfg_compose::Table;

use super::move_below;

pub(super) fn env_and_sampling(table: &mut Table) {
    move_below(table, "env", "train", "_env_to_train");
    move_below(table, "sampling", "train", "_env_to_train");
}

pub(super) fn sampling(table: &mut Table) {
    move_below(table, "sampling", "train", "_sampling_to_train");
}
