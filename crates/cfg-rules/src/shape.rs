//! What was never filled in.

pub(crate) mod placeholder;
