//! What a text is, and for which prime-rl: decided once for each text, and the same in every command.
//!
//! [`Family`] says what kind of file it is; [`Version`] which prime-rl it is for, and how certain that is. A family is derived from the keys of a file,
//! its name and its place (`family.rs`). A version is the stated one, that of the project, or else the one whose keys, types and checks the file fits
//! (`infer.rs`).

mod between;
pub(crate) mod differing;
pub(crate) mod family;
pub(crate) mod infer;
pub(crate) mod neighbours;
pub(crate) mod version;
mod votes;

pub use family::{Family, guess_kind};
pub use infer::{best_target, name_of_range};
pub use version::{Certainty, Inference};
