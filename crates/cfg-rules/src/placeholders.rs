//! Values that were never filled in.

pub(crate) mod placeholder;
