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

/// A file that is read, charged for or not yet.
#[must_use]
#[derive(Debug)]
pub struct Reading {
    /// The number of its real path.
    file: u64,
    is_charged: bool,
}

/// Charges for a file that the command has read before, by its real path; the first reading costs nothing. What the meter may cost otherwise stays the
/// same.
///
/// # Errors
/// As [`charge`].
pub fn charge_again(file: &Path) -> Result<Reading, Spent> {
    let file = number(file);
    let units = budget().files.lock().unwrap_or_else(PoisonError::into_inner).get(&file).copied();
    units.map_or(Ok(()), charge_beside)?;
    Ok(Reading { file, is_charged: units.is_some() })
}

impl Reading {
    /// Notes what a file costs that was read, by its keys and items and its size in bytes. If another thread has read it meanwhile, that was the first
    /// reading, and this one is charged: how many there can be does not depend on the number of threads.
    ///
    /// # Errors
    /// As [`charge`].
    pub fn done(self, keys: usize, bytes: usize) -> Result<(), Spent> {
        let units = (keys as u64).saturating_mul(OF_A_KEY).saturating_add(bytes as u64 / 2);
        let known = budget().files.lock().unwrap_or_else(PoisonError::into_inner).insert(self.file, units);
        if known.is_some() && !self.is_charged { charge_beside(units) } else { Ok(()) }
    }
}

fn charge_beside(units: u64) -> Result<(), Spent> {
    extend(0, units);
    charge(units)
}

fn number(file: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    file.hash(&mut hasher);
    hasher.finish()
}
