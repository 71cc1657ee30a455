//! The content of a text: tables, keys, values and comments, each with its span.

use cfg_diag::Span;

use crate::Datetime;

/// A parsed text; the default is the document of an empty text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// The root table.
    pub root: Table,
    /// Every `[table]` and `[[array of tables]]` line, in the order of the text, including those with a reported error.
    pub headers: Vec<Header>,
    /// Every comment, from its `#` to the end of its line, in the order of the text.
    pub comments: Vec<Span>,
    /// Whether the text has more than [`MAX_TOKENS`](crate::MAX_TOKENS), and no fault in those: the rest was not read, and the document is empty.
    pub is_unread: bool,
}

/// A `[table]` or `[[array of tables]]` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// From the first bracket to the last.
    pub span: Span,
    /// The parts of its dotted key; empty in a half-typed `[`.
    pub keys: Vec<Key>,
    /// Whether it has double brackets.
    pub array: bool,
}

/// One part of a dotted key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its text, without quotes and escapes.
    pub text: Box<str>,
    /// Its span, with its quotes.
    pub span: Span,
}

/// How a table is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TableStyle {
    /// The whole text.
    #[default]
    Root,
    /// By a `[header]` or `[[header]]` of its own.
    Header,
    /// Only as the parent of a header: `a` in `[a.b]`.
    Implicit,
    /// By dotted keys: `a` in `a.b = 1`.
    Dotted,
    /// As `{ ... }`.
    Inline,
}

/// A table; the default is the root of an empty text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// How it is written.
    pub style: TableStyle,
    /// The header, the inline table with its braces, the key that first names it, or the whole text.
    pub span: Span,
    /// Its entries, in the order of their first appearance; no two have the same key.
    pub entries: Vec<Entry>,
}

/// A key of a table with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key where it is first defined.
    pub key: Key,
    /// Its value.
    pub value: Value,
}

/// A value. The span of a table that has a header, or of an array of such tables, is that of the (first) header.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Its span. For a missing value: the empty range where it belongs.
    pub span: Span,
    /// Its kind and content.
    pub kind: ValueKind,
}

/// The kinds of values, with their contents.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueKind {
    /// A string, without quotes and escapes.
    String(Box<str>),
    /// An integer of any size.
    Integer(Integer),
    /// A float, as Python reads it: `1e400` is infinite.
    Float(f64),
    /// `true` or `false`.
    Boolean(bool),
    /// A date, a time, or both.
    Datetime(Datetime),
    /// An array, or the tables of `[[headers]]`.
    Array(Vec<Value>),
    /// A table.
    Table(Table),
    /// No value: a half-typed `key =` or `key`. Already reported.
    Missing,
    /// A malformed value. Already reported.
    Invalid,
}

/// An integer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Integer {
    /// An integer that fits in 64 bits.
    Small(i64),
    /// A larger integer as decimal digits, with a leading `-` if it is negative. An integer of more than 4,300 decimal digits, which can be
    /// written only in another radix, is kept in hexadecimal: `0x`, then lower-case digits.
    Big(Box<str>),
}

impl Document {
    /// Whether it has more values than this limit. Keys, tables and items of arrays count. A text that was not read has more than any limit.
    pub fn has_more_values_than(&self, limit: usize) -> bool {
        self.values_up_to(limit + 1) > limit
    }

    /// The number of its values, or `most` if there are more.
    pub fn values_up_to(&self, most: usize) -> usize {
        fn count(value: &Value, left: &mut usize) {
            *left = left.saturating_sub(1);
            match &value.kind {
                _ if *left == 0 => {}
                ValueKind::Array(items) => items.iter().for_each(|item| count(item, left)),
                ValueKind::Table(table) => table.entries.iter().for_each(|entry| count(&entry.value, left)),
                _ => {}
            }
        }
        if self.is_unread {
            return most;
        }
        let mut left = most;
        self.root.entries.iter().for_each(|entry| count(&entry.value, &mut left));
        most - left
    }
}

impl Table {
    /// The entry of `key`; `None` if there is none.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| &*entry.key.text == key)
    }

    /// The value of `key`; `None` if there is none.
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.get(key).map(|entry| &entry.value)
    }
}

impl Value {
    /// The text; `None` if it is not a string.
    pub fn as_str(&self) -> Option<&str> {
        if let ValueKind::String(text) = &self.kind { Some(text) } else { None }
    }

    /// The table; `None` if it is not a table.
    pub const fn as_table(&self) -> Option<&Table> {
        if let ValueKind::Table(table) = &self.kind { Some(table) } else { None }
    }

    /// The items of an array; empty for any other value.
    pub fn items(&self) -> &[Self] {
        if let ValueKind::Array(items) = &self.kind { items } else { &[] }
    }

    /// The boolean; `None` if it is not a boolean.
    pub const fn as_bool(&self) -> Option<bool> {
        if let ValueKind::Boolean(is_true) = self.kind { Some(is_true) } else { None }
    }

    /// Whether it is an array written as `[[headers]]`.
    pub fn is_array_of_tables(&self) -> bool {
        let ValueKind::Array(items) = &self.kind else { return false };
        items.first().is_some_and(|item| matches!(&item.kind, ValueKind::Table(table) if table.style == TableStyle::Header))
    }
}
