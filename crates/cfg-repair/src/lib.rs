//! Turns findings into a repaired text.
//!
//! A repair comes from the code that finds the fault, or from the moves of the schema history (`Proposals`). Before it is offered,
//! it is made in a copy of the text and checked (`Trial`): the finding must be gone, without a new finding of the same severity, unless
//! that is a fault that the text had before and that only shows now; then the fix names it. The command
//! line, the quick fixes and "fix all" of an editor use the same functions, so they write the same bytes.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod all;
mod beside;
mod consequences;
mod difference;
mod follow;
mod offer;
mod older;
mod proposals;
mod search;
mod shared;
mod subject;
mod trial;

pub use all::{Repaired, Step, repair_all};
pub use difference::difference;
pub use offer::{Offered, Wanted, offer, offer_all, offer_in};
pub use subject::Subject;
pub use trial::{Left, Why};
