//! Configs of other programs, in TOML or YAML: a project declares a schema for them in the notation of the schema history, and the walker for
//! prime-rl configs compares them with it.
//!
//! ```text
//! schema ──declared──▶ Declared ─┐
//! YAML ──yaml──▶ Tree ───────────┼── check ──▶ findings
//! TOML ──cfg-syntax──▶ Tree ─────┘
//! ```

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod around;
mod check;
mod consistency;
mod constraint;
mod declared;
mod scalar;
mod words;
mod yaml;

pub use around::Around;
pub use check::check;
pub use declared::{Declared, Fault};
pub use yaml::{Yaml, read_yaml};
