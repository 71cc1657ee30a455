//! The checks of the rl config and of the tables that only it has.
//!
//! Since `fa191e589` (May 2026) keys are shared between components before all checks, and most checks were rewritten: before and after that commit
//! they have different names.

mod shared_first;
mod shared_last;
mod tables;

use cfg_schema::{Behaviour, Point};

use super::Check;

/// The check of this name.
pub(super) fn find(point: Point, name: &str) -> Option<Check> {
    if point.has(Behaviour::SharingComesFirst) { shared_first::find(name) } else { shared_last::find(name) }
}

/// The check of this name for an inner table.
pub(super) fn find_table(name: &str) -> Option<Check> {
    tables::find(name)
}
