//! The language server protocol around `cfg-ide`.
//!
//! [`State`] is the core: it takes changes and answers questions, one after the other, and knows no transport. [`serve`] brings messages to it
//! over the standard streams, each begun in the order in which it comes, so that edits keep theirs. A panic in an answer becomes an error of
//! that answer alone.
//!
//! Diagnostics are computed off the loop, from the newest text there is: a burst of edits costs one or two checks, and what has been
//! computed for a text that is no longer there is dropped. So are questions about the whole workspace, which can be cancelled.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod backend;
mod capabilities;
mod commands;
mod convert;
mod files;
mod jobs;
mod looked;
mod pages;
mod publisher;
mod renames;
mod scratch;
mod server;
mod state;
mod surroundings;
mod transport;
mod versions;
mod workspace;

pub use server::serve;
pub use state::{Change, Snapshot, State, Touch};
pub use surroundings::Stated;
pub use transport::Ended;
pub use versions::{Since, Standing, Versions};
