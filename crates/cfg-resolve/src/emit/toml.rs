//! Raw values as TOML 1.0.

use std::fmt::{self, Write as _};

use crate::float_repr;
use cfg_compose::{Integer, Node, Table, Value};
use toml_writer::{TomlStringBuilder, TomlWrite as _};

/// A value that can't be written in TOML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwritable {
    /// Its dotted key.
    pub key: String,
    /// The reason: "null", or "unreadable".
    pub what: &'static str,
}

/// A table as TOML: in each table the plain values, then the tables below it; arrays of tables as `[[key]]`. Values that can't be written are left
/// out and returned.
pub fn toml(table: &Table) -> (String, Vec<Unwritable>) {
    let mut writer = Writer { out: String::new(), path: Vec::new(), unwritable: Vec::new() };
    // Writing to a `String` does not fail.
    let _ = writer.table(table, Header::None);
    (writer.out, writer.unwritable)
}

/// A value in TOML on one line; `null` if it is null.
pub(crate) fn inline(value: &Value) -> String {
    let mut writer = Writer { out: String::new(), path: Vec::new(), unwritable: Vec::new() };
    // Writing to a `String` does not fail.
    let _ = writer.value(value);
    writer.out
}

/// A string in TOML on one line.
pub(crate) fn string(text: &str) -> String {
    inline(&Value::Str(text.into()))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Header {
    None,
    Table,
    Item,
}

struct Writer {
    out: String,
    /// The keys from the root, quoted where TOML needs it.
    path: Vec<String>,
    unwritable: Vec<Unwritable>,
}

impl Writer {
    fn table(&mut self, table: &Table, header: Header) -> fmt::Result {
        let is_plain = |node: &Node| !matches!(node.value, Value::Table(_)) && !is_array_of_tables(node);
        let plain = || table.entries().iter().filter(|entry| is_plain(&entry.node));
        let has_below = table.entries().iter().any(|entry| !is_plain(&entry.node));
        // A table that holds only tables needs no header.
        if header == Header::Item || (header == Header::Table && (plain().next().is_some() || !has_below)) {
            let (open, close) = if header == Header::Item { ("[[", "]]") } else { ("[", "]") };
            let gap = if self.out.is_empty() { "" } else { "\n" };
            writeln!(self.out, "{gap}{open}{}{close}", self.path.join("."))?;
        }
        for entry in plain() {
            self.path.push(key(&entry.key));
            if self.is_writable(&entry.node) {
                write!(self.out, "{} = ", self.path.last().map_or("", String::as_str))?;
                self.value(&entry.node.value)?;
                self.out.newline()?;
            }
            self.path.pop();
        }
        for entry in table.entries().iter().filter(|entry| !is_plain(&entry.node)) {
            self.path.push(key(&entry.key));
            match &entry.node.value {
                Value::Table(below) => self.table(below, Header::Table)?,
                Value::List(items) => {
                    for item in items {
                        if let Value::Table(below) = &item.value {
                            self.table(below, Header::Item)?;
                        }
                    }
                }
                _ => {}
            }
            self.path.pop();
        }
        Ok(())
    }

    /// Whether a value can be written in TOML; if not, it is recorded.
    fn is_writable(&mut self, node: &Node) -> bool {
        let what = match &node.value {
            Value::Null => "null",
            Value::Unknown => "unreadable",
            Value::List(items) => return items.iter().all(|item| self.is_writable(item)),
            Value::Table(table) => return table.entries().iter().all(|entry| self.is_writable(&entry.node)),
            _ => return true,
        };
        self.unwritable.push(Unwritable { key: self.path.join("."), what });
        false
    }

    fn value(&mut self, value: &Value) -> fmt::Result {
        match value {
            Value::Null | Value::Unknown => self.out.write_str("null"),
            Value::Bool(boolean) => self.out.value(*boolean),
            Value::Int(Integer::Small(small)) => self.out.value(*small),
            Value::Int(Integer::Big(digits)) => self.out.write_str(digits),
            Value::Float(float) => self.out.write_str(&float_repr(*float)),
            Value::Str(text) => self.out.value(TomlStringBuilder::new(text).as_basic()),
            Value::Datetime(datetime) => write!(self.out, "{datetime}"),
            Value::List(items) => {
                self.out.open_array()?;
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.out.write_str(", ")?;
                    }
                    self.value(&item.value)?;
                }
                self.out.close_array()
            }
            Value::Table(table) => {
                self.out.open_inline_table()?;
                for (index, entry) in table.entries().iter().enumerate() {
                    write!(self.out, "{}{} = ", if index > 0 { ", " } else { " " }, key(&entry.key))?;
                    self.value(&entry.node.value)?;
                }
                self.out.write_str(if table.is_empty() { "}" } else { " }" })
            }
        }
    }
}

fn is_array_of_tables(node: &Node) -> bool {
    match &node.value {
        Value::List(items) => !items.is_empty() && items.iter().all(|item| matches!(item.value, Value::Table(_))),
        _ => false,
    }
}

/// A key as TOML writes it, quoted if necessary.
pub fn key(key: &str) -> String {
    let mut out = String::new();
    // Writing to a `String` does not fail.
    let _ = out.key(key);
    out
}
