//! Versions of configs: what `registry.json` holds, how versions come from one another, and what a config means for training.

pub mod fingerprint;
