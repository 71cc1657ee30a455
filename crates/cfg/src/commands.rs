//! One file for each command.

pub(crate) mod check;
pub(crate) mod compile;
pub(crate) mod explain;
pub(crate) mod schema;
