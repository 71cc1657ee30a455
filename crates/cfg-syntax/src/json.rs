//! JSON texts with the byte range of each value: one reader for `registry.json`, and for the JSON that prime-rl's loaders take.

mod read;

use cfg_diag::Span;

pub use read::parse;

/// What a reader of JSON accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// What the standard allows, nested [`MAX_NESTING`] levels deep, with this many values at most. Each takes some hundred bytes of memory.
    Strict {
        /// The bound of the number of values.
        max_values: usize,
    },
    /// What Python's `json` accepts: `NaN`, the infinities and single halves of a surrogate pair (read as U+FFFD) too.
    Python,
}

/// How deep the values of a strict text may be nested, so that recursion over them is safe on small stacks.
pub const MAX_NESTING: usize = 64;

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
    /// A number as text, or one of Python's words for floats: `NaN`, `Infinity`, `-Infinity`.
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
}
