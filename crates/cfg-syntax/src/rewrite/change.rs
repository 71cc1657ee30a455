//! The changes of a text, in terms of keys.

use std::fmt;

use crate::faults::{key_text, quoted};
use crate::lexer::TokenKind;
use crate::{Dialect, string};

/// A change of the content of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Sets the value of a key, which may already exist. A table written by headers or dotted keys can't be replaced.
    Set {
        /// The key.
        path: KeyPath,
        /// Its new value.
        value: Literal,
    },
    /// Adds a key that does not exist.
    Insert {
        /// The key.
        path: KeyPath,
        /// Its value.
        value: Literal,
        /// A comment after it, with its `#`. It is left out inside an inline table.
        comment: Option<String>,
    },
    /// Adds an array of tables that does not exist, each with a header of its own: `[[a.b]]`.
    InsertTables {
        /// The key of the array.
        path: KeyPath,
        /// The keys and values of each table.
        tables: Vec<Vec<(Box<str>, Literal)>>,
    },
    /// Removes a key or a whole table.
    Remove {
        /// The key.
        path: KeyPath,
        /// Whether the comments in the removed text stay. Comments on lines above it always stay.
        comments: Comments,
    },
    /// Renames a key, or moves it to another table, with its value and the comment after it.
    Relocate {
        /// Its key now.
        from: KeyPath,
        /// Its new key.
        to: KeyPath,
    },
}

/// The treatment of comments in removed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comments {
    /// They stay, on lines of their own.
    Keep,
    /// They are removed as well.
    Drop,
}

/// A dotted key from the root of the text. After an array, the next part is an index: `env.0.id`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyPath(Vec<Box<str>>);

/// A value as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal(String);

/// Why a change can't be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Obstacle {
    /// The key does not exist.
    Absent,
    /// The key exists already.
    Occupied,
    /// A table exists where a value is needed, or a value where a table is needed.
    InTheWay,
    /// Comments would be lost.
    Comments,
    /// The result would not be TOML.
    NotToml,
    /// Too much text would be read.
    TooLong,
}

impl Change {
    /// [`Change::Set`] of a dotted key.
    pub fn set(path: &str, value: impl Into<Literal>) -> Self {
        Self::Set { path: KeyPath::parse(path), value: value.into() }
    }

    /// [`Change::Insert`] of a dotted key, without a comment.
    pub fn insert(path: &str, value: impl Into<Literal>) -> Self {
        Self::Insert { path: KeyPath::parse(path), value: value.into(), comment: None }
    }

    /// [`Change::Remove`] of a dotted key; comments stay.
    pub fn remove(path: &str) -> Self {
        Self::Remove { path: KeyPath::parse(path), comments: Comments::Keep }
    }

    /// [`Change::Relocate`] between dotted keys.
    pub fn relocate(from: &str, to: &str) -> Self {
        Self::Relocate { from: KeyPath::parse(from), to: KeyPath::parse(to) }
    }
}

impl KeyPath {
    /// A path of these parts.
    pub fn new(parts: impl IntoIterator<Item = impl Into<Box<str>>>) -> Self {
        Self(parts.into_iter().map(Into::into).collect())
    }

    /// Parses a key in the notation of diagnostics: `a.b."c d".env[0].id`. Any text gives a path: an unclosed quote or bracket is part of
    /// the key.
    pub fn parse(dotted: &str) -> Self {
        let mut parts = Vec::new();
        let mut rest = dotted;
        while !rest.is_empty() {
            let (end, part) = quoted_part(rest).unwrap_or_else(|| {
                let end = rest.find(['.', '[']).filter(|&end| end > 0).unwrap_or(rest.len());
                (end, rest[..end].into())
            });
            parts.push(part);
            rest = &rest[end..];
            while let Some((index, after)) = rest.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
                parts.push(index.into());
                rest = after;
            }
            rest = rest.strip_prefix('.').unwrap_or(rest);
        }
        Self(parts)
    }

    /// Its parts, from the root.
    pub fn parts(&self) -> &[Box<str>] {
        &self.0
    }

    /// Renames a part.
    pub(super) fn set(&mut self, part: usize, name: &str) {
        self.0[part] = name.into();
    }
}

/// The quoted key at the start of a text, and its end.
fn quoted_part(text: &str) -> Option<(usize, Box<str>)> {
    let kind = match text.as_bytes().first()? {
        b'"' => TokenKind::BasicString,
        b'\'' => TokenKind::LiteralString,
        _ => return None,
    };
    let mut is_escaped = false;
    let is_end = |byte| {
        let ends = byte == text.as_bytes()[0] && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped && kind == TokenKind::BasicString;
        ends
    };
    let end = text.bytes().skip(1).position(is_end)? + 2;
    Some((end, string::decode(&text[..end], kind, Dialect::Toml11).0))
}

impl fmt::Display for KeyPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&dotted(self.0.iter().map(|part| &**part)))
    }
}

/// Keys joined by dots, with quotes where needed.
pub(super) fn dotted<'k>(keys: impl IntoIterator<Item = &'k str>) -> String {
    keys.into_iter().map(key_text).collect::<Vec<_>>().join(".")
}

impl Literal {
    /// A value in TOML syntax.
    pub fn raw(toml: impl Into<String>) -> Self {
        Self(toml.into())
    }

    /// A string.
    pub fn text(text: &str) -> Self {
        Self(quoted(text))
    }

    /// An array of strings on one line.
    pub fn strings<'s>(items: impl IntoIterator<Item = &'s str>) -> Self {
        Self(format!("[{}]", items.into_iter().map(quoted).collect::<Vec<_>>().join(", ")))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<&str> for Literal {
    fn from(text: &str) -> Self {
        Self(quoted(text))
    }
}

impl From<bool> for Literal {
    fn from(boolean: bool) -> Self {
        Self(boolean.to_string())
    }
}

impl From<f64> for Literal {
    fn from(float: f64) -> Self {
        // NaN is the only double that TOML and Rust write differently.
        Self(if float.is_nan() { "nan".to_owned() } else { format!("{float:?}") })
    }
}

macro_rules! integers {
    ($($integer:ty),*) => {
        $(impl From<$integer> for Literal {
            fn from(integer: $integer) -> Self {
                Self(integer.to_string())
            }
        })*
    };
}

integers!(i32, i64, u32, u64, usize);
