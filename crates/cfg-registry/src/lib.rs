//! Versions of configs: what `registry.json` holds, how versions come from one another, and what a config means for training.
//!
//! - [`Registry`] is what `registry.json` says, with the place of each part; its text is changed byte by byte, never printed again.
//! - [`lineage`] is the graph over `path:version`, [`verify`] what is wrong between registry, configs and kept texts.
//! - [`bump`] and [`adopt`] work out new versions; nothing is written there.
//! - [`runs`] are the training runs, each tied to the version that ran.
//! - [`store`] alone touches files: locked, atomic, on the disk before it is said to be.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod adopt;
pub mod around;
pub mod bump;
pub mod fingerprint;
pub mod header;
pub mod json;
pub mod lineage;
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
