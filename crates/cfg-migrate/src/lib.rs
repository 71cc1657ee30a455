//! Rewrites a config of one prime-rl for another.
//!
//! What became of keys is data: the moves of the schema history, each with its commit, how the value carries over, and whether that is safe.
//! [`migrate`] applies the moves between two targets to the values of a config, one commit after the other, and then changes the text where the first
//! and the last form differ. Moves that are not safe are left to the user, and the key stays. The result is checked for the new target, and the
//! resolved values of both texts are compared.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod by_value;
mod carry;
mod condition;
mod conversion;
mod draft;
mod entries;
mod former;
mod fresh;
mod header;
mod keep;
mod making;
mod many;
mod meaning;
mod migrate;
mod migration_context;
mod now;
mod pattern;
mod refusal;
mod rewriting;
mod step;
mod story;
mod words;
mod written;

pub use by_value::depends_on_value;
pub use carry::{Carried, Carrier};
pub use meaning::{Changed, Meaning, meaning};
pub use migrate::{Decision, Done, Failure, Migration, Reason, Request, Stuck, migrate, migrate_text};
pub use refusal::Refusal;
pub use words::{release, when};
