//! What `cfg compile` prints: pure functions from a resolved config to text and lists.

mod faithful;
mod json;
mod text;
mod toml;

pub use faithful::{Faithful, faithful};
pub use json::json;
pub use text::Texts;
pub use toml::{Unwritable, toml};
