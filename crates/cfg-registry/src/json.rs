//! The values of `registry.json`, and how they are changed.
//!
//! Only changed values are written again ([`Patch`]): the layout, the notation of numbers and unknown members stay the same.

mod patch;

use cfg_syntax::json::{Style, parse as parse_json};
use serde_json::Value as Json;

pub use cfg_syntax::json::{Fault, Kind, Member, Node};
pub use patch::{Patch, apply};

/// The most values of a registry, enough for 20,000 versions.
const MAX_VALUES: usize = 400_000;

/// Reads the text of a registry.
///
/// # Errors
///
/// If the text is not JSON, is nested too deeply, or has too many values.
pub fn parse(text: &str) -> Result<Node, Fault> {
    parse_json(text, Style::Strict { max_values: MAX_VALUES })
}

/// The value without its locations; of several members with one name, the last one.
pub fn to_json(node: &Node) -> Json {
    match &node.kind {
        Kind::Null => Json::Null,
        Kind::Bool(is) => Json::Bool(*is),
        Kind::Number(digits) => serde_json::from_str(digits).unwrap_or(Json::Null),
        Kind::String(text) => Json::String(text.to_string()),
        Kind::Array(items) => items.iter().map(to_json).collect(),
        Kind::Object(members) => members.iter().map(|member| (member.key.to_string(), to_json(&member.value))).collect(),
    }
}
