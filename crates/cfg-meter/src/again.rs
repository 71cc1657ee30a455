//! Files that a command reads again, for another of many configs: what one file costs, a repository can ask for thousands of times with a line each.
//!
//! What a file costs for the first time is what its size needs. From then on it is charged before it is read: each config has a part that does not draw
//! from the budget ([`Allowance::COMPOSED`](crate::Allowance::COMPOSED)), enough for what people include, and the rest is limited for the whole command.

use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::Path,
    sync::PoisonError,
};

use crate::{Spent, budget, charge, extend};

/// The units for a key or item of such a file, until its config is checked: 6 µs.
pub const OF_A_KEY: u64 = 600;

/// Charges for a file that the command has read before; one that it has not read costs nothing. What the meter may cost otherwise stays the same.
///
/// # Errors
/// As [`charge`].
pub fn charge_again(file: &Path) -> Result<(), Spent> {
    let units = budget().files.lock().unwrap_or_else(PoisonError::into_inner).get(&number(file)).copied();
    let Some(units) = units else { return Ok(()) };
    extend(0, units);
    charge(units)
}

/// Notes a file that was read, by its real path, with its keys and items and its size in bytes.
pub fn has_read(file: &Path, keys: usize, bytes: usize) {
    let units = (keys as u64).saturating_mul(OF_A_KEY).saturating_add(bytes as u64 / 2);
    budget().files.lock().unwrap_or_else(PoisonError::into_inner).insert(number(file), units);
}

fn number(file: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    file.hash(&mut hasher);
    hasher.finish()
}
