//! The table of a check.

use std::{
    borrow::Cow,
    ops::{Deref, DerefMut},
};

use crate::ResolvedTable;

/// The table that a check reads and changes.
pub(super) enum Held<'a> {
    /// The table of the config.
    Own(&'a mut ResolvedTable),
    /// A table that must stay as it is: what the check assigns is in a copy, which is made only then.
    Copied(Cow<'a, ResolvedTable>),
}

impl Deref for Held<'_> {
    type Target = ResolvedTable;

    fn deref(&self) -> &ResolvedTable {
        match self {
            Self::Own(table) => table,
            Self::Copied(table) => table,
        }
    }
}

impl DerefMut for Held<'_> {
    fn deref_mut(&mut self) -> &mut ResolvedTable {
        match self {
            Self::Own(table) => table,
            Self::Copied(table) => table.to_mut(),
        }
    }
}
