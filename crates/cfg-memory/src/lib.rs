//! GPUs, models, and the memory and disk space that a run of prime-rl needs: from plain numbers to a breakdown.
//!
//! The formulas are those of `docs/memory-model.md`; the documentation of each part names its section. How well they agree with
//! measured runs is in `docs/memory-accuracy.md`. Amounts are [`Bytes`], lengths [`Tokens`]; a GiB is 2^30 bytes.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod accuracy;
pub mod architecture;
pub mod catalogue;
pub mod disk;
pub mod duration;
pub mod hardware;
pub mod inference;
pub mod origin;
pub mod precision;
pub mod prime_rl;
mod recent;
pub mod run;
pub mod solve;
pub mod trainer;
mod units;
pub mod verdict;

pub use recent::Recent;
pub use units::{Bytes, GIB, NoAmount, Tokens, between};
