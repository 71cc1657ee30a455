//! JSON with locations: the values of `registry.json`, and the byte ranges of these.
//!
//! Only changed values are written again ([`Patch`]): the layout, the notation of numbers and unknown members stay the same.

mod patch;
mod read;

use cfg_diag::Span;
use serde_json::Value as Json;

pub use patch::{Patch, apply};
pub use read::parse;

/// A value with its location.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its bytes.
    pub span: Span,
    /// The kind of value.
    pub kind: Kind,
}

/// A JSON value. Numbers are kept as written.
#[derive(Clone, Debug)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as text.
    Number(Box<str>),
    /// A string, without its escapes.
    String(Box<str>),
    /// An array.
    Array(Vec<Node>),
    /// An object, its members in the order of the text.
    Object(Vec<Member>),
}

/// A member of an object.
#[derive(Clone, Debug)]
pub struct Member {
    /// The name, without its escapes.
    pub key: Box<str>,
    /// The bytes of the name, including the quotes.
    pub key_span: Span,
    /// The value.
    pub value: Node,
}

/// Why a text is not JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The offset of the first byte that is wrong.
    pub at: u32,
    /// The problem.
    pub message: &'static str,
}

impl Node {
    /// The members, if it is an object.
    pub fn members(&self) -> Option<&[Member]> {
        match &self.kind {
            Kind::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The member of this name; of several, the last one, as in other JSON readers.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.members()?.iter().rfind(|member| &*member.key == key).map(|member| &member.value)
    }

    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            Kind::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value without its locations.
    pub fn to_json(&self) -> Json {
        match &self.kind {
            Kind::Null => Json::Null,
            Kind::Bool(is) => Json::Bool(*is),
            Kind::Number(digits) => serde_json::from_str(digits).unwrap_or(Json::Null),
            Kind::String(text) => Json::String(text.to_string()),
            Kind::Array(items) => items.iter().map(Self::to_json).collect(),
            Kind::Object(members) => members.iter().map(|member| (member.key.to_string(), member.value.to_json())).collect(),
        }
    }
}
