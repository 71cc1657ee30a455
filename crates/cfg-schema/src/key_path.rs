//! Dotted paths as people write and read them.

use std::fmt;

use crate::Segment;

/// A path of the schema in its own notation: `train.env[].algo<type=echo>.roles.*`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyPath(String);

impl KeyPath {
    /// The path one step further down. `tag_key` names the key that chooses variants.
    pub fn push(&mut self, segment: Segment, tag_key: &str) {
        match segment {
            Segment::Field(name) => {
                if !self.0.is_empty() {
                    self.0.push('.');
                }
                self.0.push_str(name);
            }
            Segment::Item => self.0.push_str("[]"),
            Segment::MapValue => self.0.push_str(".*"),
            Segment::Variant(tag) => {
                for part in ["<", tag_key, "=", tag, ">"] {
                    self.0.push_str(part);
                }
            }
            Segment::Class(name) => {
                for part in ["<", name, ">"] {
                    self.0.push_str(part);
                }
            }
        }
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
