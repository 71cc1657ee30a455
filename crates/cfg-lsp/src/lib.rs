//! The language server protocol around `cfg-ide`.
//!
//! [`State`] is the core: it takes changes and answers questions, one after the other, and knows no transport. [`serve`] is the
//! transport: `tower-lsp-server` over the standard streams, one message at a time, so that edits keep their order. A panic in an answer
//! becomes an error of that answer alone.
//!
//! Diagnostics are computed off the loop, from the newest text there is: a burst of edits costs one or two checks, and what has been
//! computed for a text that is no longer there is dropped.

mod capabilities;
mod convert;
mod publisher;
mod server;
mod state;
mod surroundings;

pub use server::serve;
pub use state::{Change, Snapshot, State};
pub use surroundings::project_around;
