//! The checks of the orchestrator's config.

use super::Check;

/// The checks of the whole orchestrator config.
pub(super) fn find_root(name: &str) -> Option<Check> {
    let _ = name;
    None
}

/// The checks of its inner tables.
pub(super) fn find(name: &str) -> Option<Check> {
    let _ = name;
    None
}
