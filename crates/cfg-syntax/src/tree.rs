//! Tables under construction: puts keys and headers into their tables, and finds the conflicts that TOML forbids, as tomli does.

use std::collections::HashMap;

use cfg_diag::Span;

use crate::{Entry, Key, Table, TableStyle, Value, ValueKind};

/// A table of a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableId(u32);

/// All tables of a text, or of one inline table; the first is the outermost.
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// The number of headers so far. Dotted keys may extend only the tables of their own section.
    section: u32,
    /// The table of the section, if its entries are in the buffer for the entries of sections.
    filling: Option<TableId>,
    /// That buffer, while no section has it.
    room: Vec<Entry>,
}

struct Node {
    style: TableStyle,
    span: Span,
    /// Whether it has a header of its own, or is an item of an array of tables.
    explicit: bool,
    /// The section whose dotted keys defined or extended it.
    dotted_in: Option<u32>,
    /// The entries; those with tables of the tree are [`placeholder`]s.
    entries: Vec<Entry>,
    /// Positions by key, for a table with many keys.
    #[expect(clippy::box_collection, reason = "nearly no table has one, and all are moved about")]
    index: Option<Box<HashMap<Box<str>, u32>>>,
}

/// What an entry has.
enum Content<'a> {
    Value(&'a Value),
    Table(TableId),
    /// The first and the last of the tables of `[[headers]]`.
    Tables(TableId, TableId),
}

/// Why a key or header is not allowed here.
pub(crate) struct Conflict {
    pub(crate) kind: ConflictKind,
    /// The index of the part of the dotted key that has the conflict.
    pub(crate) part: usize,
    /// The earlier definition.
    pub(crate) first: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConflictKind {
    /// A key that already has a value.
    DuplicateKey,
    /// A table that is already defined.
    DuplicateTable,
    /// Dotted keys into a table that is defined elsewhere.
    ExtendsTable,
    /// A value where a table is needed.
    ValueAsTable,
    /// An inline table or array, which can't be extended.
    ExtendsInline,
    /// A table where a value exists.
    TableAsValue,
    /// `[[x]]` where `x` is a single table.
    TableAsArray,
    /// `[x]` or dotted keys where `x` is an array of tables.
    ArrayAsTable,
}

/// Tables with at most this many keys are searched linearly.
const FEW: usize = 16;

impl Tree {
    pub(crate) fn new(style: TableStyle, span: Span) -> Self {
        let filling = (style == TableStyle::Root).then_some(Self::outermost());
        // Most configs have fewer tables, and an inline table rarely has another one.
        let nodes = Vec::with_capacity(if style == TableStyle::Root { 16 } else { 1 });
        let mut tree = Self { nodes, section: 0, filling, room: Vec::new() };
        tree.add(style, span);
        if style == TableStyle::Root {
            tree.nodes[0].entries.reserve(16);
        }
        tree
    }

    pub(crate) fn outermost() -> TableId {
        TableId(0)
    }

    /// Adds `key = value` below `table`. After a conflict nothing is changed, so the first definition stays. Without a conflict,
    /// the last key is removed from `keys`.
    pub(crate) fn insert(&mut self, table: TableId, keys: &mut Vec<Key>, value: Value) -> Option<Conflict> {
        let last = keys.len().checked_sub(1)?;
        let mut table = table;
        for (part, key) in keys[..last].iter().enumerate() {
            match self.enter_dotted(table, key) {
                Ok(inner) => table = inner,
                Err((kind, first)) => return Some(Conflict { kind, part, first }),
            }
        }
        let Some(position) = self.find(table, &keys[last].text) else {
            let key = keys.pop()?;
            self.push(table, Entry { key, value });
            return None;
        };
        let entry = &mut self.nodes[table.0 as usize].entries[position];
        if entry.value.kind == ValueKind::Missing {
            let key = keys.pop()?;
            *entry = Entry { key, value };
            return None;
        }
        if value.kind == ValueKind::Missing {
            return None;
        }
        let gives_table = matches!(value.kind, ValueKind::Table(_));
        let kind = match content(&entry.value) {
            Content::Value(_) => ConflictKind::DuplicateKey,
            Content::Table(_) if gives_table => ConflictKind::DuplicateTable,
            Content::Table(_) | Content::Tables(..) => ConflictKind::TableAsValue,
        };
        let first = self.place(table, position);
        Some(Conflict { kind, part: last, first })
    }

    /// Starts the section of a header. With a conflict, the returned table takes the section's entries: the conflicting table if
    /// possible, otherwise one that is dropped.
    pub(crate) fn header(&mut self, keys: &[Key], span: Span, array: bool) -> (TableId, Option<Conflict>) {
        let (table, conflict) = self.header_table(keys, span, array);
        self.fill(table);
        (table, conflict)
    }

    fn header_table(&mut self, keys: &[Key], span: Span, array: bool) -> (TableId, Option<Conflict>) {
        self.section += 1;
        let last = keys.len().saturating_sub(1);
        let mut table = Self::outermost();
        for (part, key) in keys.iter().enumerate() {
            let entered = if part < last {
                self.enter(table, key, TableStyle::Implicit)
            } else if array {
                self.add_item(table, key, span)
            } else {
                self.define(table, key, span)
            };
            match entered {
                Ok(inner) => table = inner,
                Err((kind, first, inner)) => {
                    let inner = inner.unwrap_or_else(|| self.add(TableStyle::Header, span));
                    return (inner, Some(Conflict { kind, part, first }));
                }
            }
        }
        (table, None)
    }

    /// Converts to the finished table with all its content.
    pub(crate) fn finish(mut self) -> Table {
        self.build(Self::outermost())
    }

    /// Makes `table` the one whose entries follow. They are collected in a buffer that all sections share, so that a vector has to grow only for a
    /// table that is extended later.
    fn fill(&mut self, table: TableId) {
        self.end_filling();
        let entries = &mut self.nodes[table.0 as usize].entries;
        if entries.capacity() == 0 {
            *entries = std::mem::take(&mut self.room);
            self.filling = Some(table);
        }
    }

    fn end_filling(&mut self) {
        if let Some(table) = self.filling.take() {
            // The root takes the tables of most headers.
            let later = if table == Self::outermost() { 8 } else { 0 };
            let entries = &mut self.nodes[table.0 as usize].entries;
            let mut own = Vec::with_capacity(entries.len() + later);
            own.append(entries);
            self.room = std::mem::replace(entries, own);
        }
    }

    /// Creates a table that is not part of the document, and is dropped.
    pub(crate) fn detached(&mut self, span: Span) -> TableId {
        self.section += 1;
        self.add(TableStyle::Header, span)
    }

    fn add(&mut self, style: TableStyle, span: Span) -> TableId {
        let explicit = style == TableStyle::Header;
        self.nodes.push(Node { style, span, explicit, dotted_in: None, entries: Vec::new(), index: None });
        TableId(self.nodes.len() as u32 - 1)
    }

    fn find(&self, table: TableId, key: &str) -> Option<usize> {
        let node = &self.nodes[table.0 as usize];
        match &node.index {
            Some(index) => index.get(key).map(|&position| position as usize),
            None => node.entries.iter().position(|entry| &*entry.key.text == key),
        }
    }

    /// Whether `table` has no such key.
    pub(crate) fn is_free(&self, table: TableId, key: &str) -> bool {
        self.find(table, key).is_none()
    }

    /// Adds an entry whose key is free.
    pub(crate) fn push(&mut self, table: TableId, entry: Entry) {
        let node = &mut self.nodes[table.0 as usize];
        if let Some(index) = &mut node.index {
            index.insert(entry.key.text.clone(), node.entries.len() as u32);
        }
        // Most tables of a long text have one or two entries, but a vector would start with a capacity of four.
        if node.entries.capacity() == 0 {
            node.entries.reserve_exact(2);
        }
        node.entries.push(entry);
        if node.index.is_none() && node.entries.len() > FEW {
            let positions = node.entries.iter().enumerate().map(|(position, entry)| (entry.key.text.clone(), position as u32));
            node.index = Some(Box::new(positions.collect()));
        }
    }

    /// The span of the definition of the entry at `position` of `table`.
    fn place(&self, table: TableId, position: usize) -> Span {
        let entry = &self.nodes[table.0 as usize].entries[position];
        match content(&entry.value) {
            Content::Table(id) if self.nodes[id.0 as usize].explicit => self.nodes[id.0 as usize].span,
            Content::Tables(first, _) => self.nodes[first.0 as usize].span,
            _ => entry.key.span,
        }
    }

    /// Creates a table at `key`, replacing a missing value if there is one.
    fn create(
        &mut self,
        table: TableId,
        position: Option<usize>,
        key: &Key,
        style: TableStyle,
        span: Span,
        item: bool,
    ) -> TableId {
        let id = self.add(style, span);
        let value = placeholder(id);
        let value = if item { Value { span: value.span, kind: ValueKind::Array(vec![value]) } } else { value };
        let entry = Entry { key: key.clone(), value };
        match position {
            Some(position) => self.nodes[table.0 as usize].entries[position] = entry,
            None => self.push(table, entry),
        }
        id
    }

    /// The position of `key` in `table`, and whether the key can still be defined: it is absent, or has no value.
    fn occupied(&self, table: TableId, key: &Key) -> (Option<usize>, bool) {
        let position = self.find(table, &key.text);
        let is_missing = |position: usize| self.nodes[table.0 as usize].entries[position].value.kind == ValueKind::Missing;
        let free = position.is_none_or(is_missing);
        (position, free)
    }

    /// The table `key`, as the parent of a header's table; created if it does not exist.
    fn enter(&mut self, table: TableId, key: &Key, style: TableStyle) -> Result<TableId, (ConflictKind, Span, Option<TableId>)> {
        let (position, free) = self.occupied(table, key);
        let Some(position) = position.filter(|_| !free) else {
            let span = key.span;
            return Ok(self.create(table, position, key, style, span, false));
        };
        let entry = &self.nodes[table.0 as usize].entries[position];
        match content(&entry.value) {
            Content::Table(id) | Content::Tables(_, id) => Ok(id),
            Content::Value(value) => Err((not_a_table(value), entry.key.span, None)),
        }
    }

    /// The table `key`, as a part of a dotted key; created if it does not exist.
    pub(crate) fn enter_dotted(&mut self, table: TableId, key: &Key) -> Result<TableId, (ConflictKind, Span)> {
        let position = self.find(table, &key.text);
        if let Some(position) = position
            && let Content::Tables(..) = content(&self.nodes[table.0 as usize].entries[position].value)
        {
            return Err((ConflictKind::ArrayAsTable, self.place(table, position)));
        }
        let inner = self.enter(table, key, TableStyle::Dotted).map_err(|(kind, first, _)| (kind, first))?;
        if self.is_defined(inner) {
            let first = position.map_or(self.nodes[inner.0 as usize].span, |position| self.place(table, position));
            return Err((ConflictKind::ExtendsTable, first));
        }
        let node = &mut self.nodes[inner.0 as usize];
        node.dotted_in = Some(self.section);
        node.style = TableStyle::Dotted;
        Ok(inner)
    }

    /// Whether the table is complete: neither a header nor dotted keys may define it again.
    fn is_defined(&self, table: TableId) -> bool {
        let node = &self.nodes[table.0 as usize];
        node.explicit || node.dotted_in.is_some_and(|section| section != self.section)
    }

    /// Defines the table `key` by its header.
    fn define(&mut self, table: TableId, key: &Key, span: Span) -> Result<TableId, (ConflictKind, Span, Option<TableId>)> {
        let (position, free) = self.occupied(table, key);
        let Some(position) = position.filter(|_| !free) else {
            return Ok(self.create(table, position, key, TableStyle::Header, span, false));
        };
        let first = self.place(table, position);
        match content(&self.nodes[table.0 as usize].entries[position].value) {
            Content::Table(id) => {
                if self.is_defined(id) {
                    return Err((ConflictKind::DuplicateTable, first, Some(id)));
                }
                let node = &mut self.nodes[id.0 as usize];
                (node.explicit, node.style, node.span) = (true, TableStyle::Header, span);
                Ok(id)
            }
            Content::Tables(_, last) => Err((ConflictKind::ArrayAsTable, first, Some(last))),
            Content::Value(value) => Err((not_a_table(value), first, None)),
        }
    }

    /// Adds an item to the array of tables `key`.
    fn add_item(&mut self, table: TableId, key: &Key, span: Span) -> Result<TableId, (ConflictKind, Span, Option<TableId>)> {
        let (position, free) = self.occupied(table, key);
        let Some(position) = position.filter(|_| !free) else {
            return Ok(self.create(table, position, key, TableStyle::Header, span, true));
        };
        let first = self.place(table, position);
        let item = self.add(TableStyle::Header, span);
        let value = &mut self.nodes[table.0 as usize].entries[position].value;
        match content(value) {
            Content::Tables(..) => {}
            Content::Table(_) => return Err((ConflictKind::TableAsArray, first, Some(item))),
            Content::Value(value) => return Err((not_a_table(value), first, Some(item))),
        }
        if let ValueKind::Array(items) = &mut value.kind {
            items.push(placeholder(item));
        }
        Ok(item)
    }

    fn build(&mut self, id: TableId) -> Table {
        let node = &mut self.nodes[id.0 as usize];
        let (style, span) = (node.style, node.span);
        let mut entries = std::mem::take(&mut node.entries);
        for entry in &mut entries {
            if matches!(entry.value.kind, ValueKind::Table(_) | ValueKind::Array(_)) {
                self.complete(&mut entry.value);
            }
        }
        Table { style, span, entries }
    }

    /// Replaces the placeholders of tables.
    fn complete(&mut self, value: &mut Value) {
        match content(value) {
            Content::Table(id) => {
                let table = self.build(id);
                *value = Value { span: table.span, kind: ValueKind::Table(table) };
            }
            Content::Tables(first, _) => {
                value.span = self.nodes[first.0 as usize].span;
                if let ValueKind::Array(items) = &mut value.kind {
                    items.iter_mut().for_each(|item| self.complete(item));
                }
            }
            Content::Value(_) => {}
        }
    }
}

/// The value of an entry whose table is still under construction: a table that is not an inline one, with its id as the place. The tables of
/// `[[headers]]` are an array of such values, at least one.
fn placeholder(TableId(id): TableId) -> Value {
    let table = Table { style: TableStyle::Header, ..Table::default() };
    Value { span: Span::empty(id), kind: ValueKind::Table(table) }
}

fn content(value: &Value) -> Content<'_> {
    let id = |value: &Value| match &value.kind {
        ValueKind::Table(table) if table.style != TableStyle::Inline => Some(TableId(value.span.start)),
        _ => None,
    };
    match &value.kind {
        ValueKind::Table(_) => id(value).map_or(Content::Value(value), Content::Table),
        ValueKind::Array(items) => {
            let ends = items.first().and_then(id).zip(items.last().and_then(id));
            ends.map_or(Content::Value(value), |(first, last)| Content::Tables(first, last))
        }
        _ => Content::Value(value),
    }
}

fn not_a_table(value: &Value) -> ConflictKind {
    match value.kind {
        ValueKind::Table(_) | ValueKind::Array(_) => ConflictKind::ExtendsInline,
        _ => ConflictKind::ValueAsTable,
    }
}
