//! The one way from a finding to a repaired text.
//!
//! A repair is proposed by anyone who finds the fault, or follows from the moves of the schema history (`Proposals`). Before anyone is offered it,
//! it is made in a copy of the text, and that is checked again (`Trial`): its finding must be gone, and no new one of the same weight may have appeared. The command
//! line, quick fixes and "fix all" of an editor ask the same functions, so they write the same bytes.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod all;
mod consequences;
mod difference;
mod offer;
mod proposals;
mod subject;
mod trial;

pub use all::{Repaired, repair_all};
pub use difference::difference;
pub use offer::{Offered, Wanted, offer, offer_all, offer_in};
pub use subject::Subject;
pub use trial::{Left, Why};
