//! Tokens: what has to fit into the context and into the sequences of training.

pub(crate) mod context_overflow;
