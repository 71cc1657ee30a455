//! From the resolved config to typed facts that mean the same at every version of prime-rl.

mod metadata;

pub use metadata::Metadata;
