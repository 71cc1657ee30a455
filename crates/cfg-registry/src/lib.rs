//! Versions of configs: `registry.json`, the lineage of versions, and the meaning of a config for training.
//!
//! - [`Registry`] is the content of `registry.json`, with the location of each part; its text is changed by byte edits and never formatted
//!   again.
//! - [`lineage`] is the graph over `path:version`, [`verify`] finds errors between registry, configs and stored texts.
//! - [`bump`] and [`adopt`] compute new versions; they write nothing.
//! - [`merge`](mod@merge) merges two registries with a common ancestor.
//! - [`runs`] has the training runs, each with the version that it ran.
//! - only [`store`] accesses files: with a lock, atomically and durably.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod adopt;
pub mod around;
pub mod bump;
pub mod fingerprint;
pub mod header;
pub mod json;
pub mod lineage;
pub mod merge;
pub mod place;
pub mod registry;
pub mod runs;
mod shape;
pub mod store;
pub mod verify;
mod version;

pub use registry::Registry;
pub use shape::schema;
pub use version::Version;
