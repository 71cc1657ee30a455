//! The tree of raw values that prime-rl's loader passes to its config classes.

use std::collections::HashMap;

use cfg_diag::{FileId, Location, Span};
use cfg_syntax::{Datetime, Document, Integer, ValueKind};

use crate::Origin;

/// The values of one config, composed.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The table of the whole file.
    pub root: Table,
}

/// A value with its origin.
#[derive(Clone, Debug)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Its origin.
    pub origin: Origin,
}

/// A raw value.
#[derive(Clone, Debug)]
pub enum Value {
    /// Intentionally absent. TOML has no null; loaders read the string `None` as one.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer of any size.
    Int(Integer),
    /// A double.
    Float(f64),
    /// A string.
    Str(Box<str>),
    /// A date, a time, or both.
    Datetime(Datetime),
    /// An array.
    List(Vec<Node>),
    /// A table.
    Table(Table),
    /// Written, but not readable; that has been reported.
    Unknown,
}

/// A table: its entries in the order in which they were written.
#[derive(Clone, Debug, Default)]
pub struct Table {
    entries: Vec<Entry>,
    /// The index of each key, created if the table is too long for a linear search.
    #[expect(clippy::box_collection, reason = "nearly no table has one, and all are moved about")]
    places: Option<Box<HashMap<Box<str>, usize>>>,
}

/// A key and its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: Box<str>,
    /// The key as the file spells it, if a loader has renamed it.
    pub written: Option<Box<str>>,
    /// The origin of the key.
    pub key_origin: Origin,
    /// The value.
    pub node: Node,
}

/// The number of entries up to which a linear search is the fastest.
const LINEAR: usize = 16;

impl Tree {
    /// The tree of a single document.
    pub fn from_document(file: FileId, document: Document) -> Self {
        Self { root: table(file, document.root) }
    }

    /// The tree of a document that is still needed afterwards: less is copied than with a clone of the document.
    pub fn of(file: FileId, document: &Document) -> Self {
        Self { root: table_of(file, &document.root) }
    }
}

impl Table {
    /// The entries, in the order in which they were written.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Converts it to its entries.
    pub fn into_entries(self) -> Vec<Entry> {
        self.entries
    }

    /// Whether it has no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn place(&self, key: &str) -> Option<usize> {
        match &self.places {
            Some(places) => places.get(key).copied(),
            None => self.entries.iter().position(|entry| &*entry.key == key),
        }
    }

    /// The entry of a key.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.place(key).map(|place| &self.entries[place])
    }

    /// The entry of a key, mutable.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Entry> {
        self.place(key).map(|place| &mut self.entries[place])
    }

    /// The values, mutable in place.
    pub fn nodes_mut(&mut self) -> impl Iterator<Item = (&str, &mut Node)> {
        self.entries.iter_mut().map(|entry| (&*entry.key, &mut entry.node))
    }

    /// Adds an entry, or replaces the one of the same key at its place.
    pub fn insert(&mut self, entry: Entry) {
        if let Some(place) = self.place(&entry.key) {
            self.entries[place] = entry;
        } else {
            if let Some(places) = &mut self.places {
                places.insert(entry.key.clone(), self.entries.len());
            }
            self.entries.push(entry);
            if self.places.is_none() && self.entries.len() > LINEAR {
                self.index();
            }
        }
    }

    /// Removes an entry; the others keep their order.
    pub fn remove(&mut self, key: &str) -> Option<Entry> {
        let entry = self.entries.remove(self.place(key)?);
        if self.places.is_some() {
            self.index();
        }
        Some(entry)
    }

    fn index(&mut self) {
        let places = self.entries.iter().enumerate().map(|(place, entry)| (entry.key.clone(), place)).collect();
        self.places = Some(Box::new(places));
    }
}

impl Entry {
    /// The entry with another key. It keeps the file's spelling.
    #[must_use]
    pub fn renamed(self, key: &str) -> Self {
        if *self.key == *key {
            return self;
        }
        Self { written: self.written.or(Some(self.key)), key: key.into(), ..self }
    }
}

impl Value {
    /// The table, if it is one.
    pub const fn as_table(&self) -> Option<&Table> {
        if let Self::Table(table) = self { Some(table) } else { None }
    }

    /// The table, if it is one, mutable.
    pub const fn as_table_mut(&mut self) -> Option<&mut Table> {
        if let Self::Table(table) = self { Some(table) } else { None }
    }

    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::Str(text) = self { Some(text) } else { None }
    }
}

fn table(file: FileId, source: cfg_syntax::Table) -> Table {
    Table::read(source.entries.into_iter().map(|entry| (entry.key.span, entry.key.text, node(file, entry.value))), file)
}

fn table_of(file: FileId, source: &cfg_syntax::Table) -> Table {
    Table::read(source.entries.iter().map(|entry| (entry.key.span, entry.key.text.clone(), node_of(file, &entry.value))), file)
}

impl Table {
    fn read(source: impl ExactSizeIterator<Item = (Span, Box<str>, Node)>, file: FileId) -> Self {
        let mut entries = Vec::with_capacity(source.len());
        entries.extend(source.map(|(span, key, node)| Entry {
            key_origin: Origin::File(Location::new(file, span)),
            key,
            written: None,
            node,
        }));
        let mut table = Self { entries, places: None };
        if table.entries.len() > LINEAR {
            table.index();
        }
        table
    }
}

fn node(file: FileId, source: cfg_syntax::Value) -> Node {
    let value = match source.kind {
        ValueKind::String(text) => Value::Str(text),
        ValueKind::Array(items) => Value::List(items.into_iter().map(|item| node(file, item)).collect()),
        ValueKind::Table(inner) => Value::Table(table(file, inner)),
        plain => plain_value(plain),
    };
    Node { value, origin: Origin::File(Location::new(file, source.span)) }
}

fn node_of(file: FileId, source: &cfg_syntax::Value) -> Node {
    let value = match &source.kind {
        ValueKind::String(text) => Value::Str(text.clone()),
        ValueKind::Array(items) => Value::List(items.iter().map(|item| node_of(file, item)).collect()),
        ValueKind::Table(inner) => Value::Table(table_of(file, inner)),
        plain => plain_value(plain.clone()),
    };
    Node { value, origin: Origin::File(Location::new(file, source.span)) }
}

/// A value without inner values.
fn plain_value(kind: ValueKind) -> Value {
    match kind {
        ValueKind::Integer(integer) => Value::Int(integer),
        ValueKind::Float(float) => Value::Float(float),
        ValueKind::Boolean(boolean) => Value::Bool(boolean),
        ValueKind::Datetime(datetime) => Value::Datetime(datetime),
        _ => Value::Unknown,
    }
}
