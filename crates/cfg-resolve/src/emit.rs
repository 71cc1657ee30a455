//! The output of `cfg compile`, as pure functions from a resolved config to text and lists, and the JSON Schemas of configs.

mod diff;
mod faithful;
mod json;
mod json_schema;
mod leaves;
mod origin;
mod toml;

pub use diff::{Difference, differences};
pub use faithful::{Faithful, differing, faithful};
pub use json::json;
pub use json_schema::{json_schema, to_text as json_schema_text};
pub use leaves::{Leaf, leaves};
pub use origin::{Places, origin_as_json, origin_in_words};
pub use toml::{Unwritable, key, toml};
pub(crate) use toml::{inline, string};
