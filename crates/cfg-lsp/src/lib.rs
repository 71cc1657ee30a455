//! The language server protocol around `cfg-ide`.
//!
//! [`State`] is the core: it applies changes and answers requests, one after the other, and does not depend on the transport. [`serve`] reads
//! messages from the standard streams and begins each in the order of arrival, so that edits keep their order. If a request panics, only its own
//! answer is an error.
//!
//! Checks and answers are computed outside the loop, which itself does only what is short: an edit, a close, a cancelled request or the end of the
//! session stops the computations that they make needless, and one document does not delay another. Diagnostics are computed from the newest text:
//! several edits in a row cost one or two checks, and results for an outdated text are dropped.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod backend;
mod capabilities;
mod code_actions;
mod commands;
mod completion;
mod convert;
mod edited;
mod files;
mod formatting;
mod hierarchy;
mod jobs;
mod lanes;
mod pages;
mod publisher;
mod renames;
mod result_cache;
mod scratch;
mod serve;
mod server;
mod state;
mod surroundings;
mod symbols;
mod transport;
mod versions;
mod workspace;

pub use serve::serve;
pub use state::{Change, Snapshot, State, Touch};
pub use surroundings::Overrides;
pub use transport::Ended;
pub use versions::{Since, Standing, Versions};
