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
}

struct Node {
    style: TableStyle,
    span: Span,
    /// Whether it has a header of its own, or is an item of an array of tables.
    explicit: bool,
    /// The section whose dotted keys defined or extended it.
    dotted_in: Option<u32>,
    slots: Vec<Slot>,
    /// Positions by key, for a table with many keys.
    index: Option<HashMap<Box<str>, u32>>,
}

struct Slot {
    key: Key,
    content: Content,
}

enum Content {
    Value(Value),
    Table(TableId),
    /// The tables of `[[headers]]`, at least one.
    Tables(Vec<TableId>),
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
        let mut tree = Self { nodes: Vec::new(), section: 0 };
        tree.add(style, span);
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
            self.push(table, key, Content::Value(value));
            return None;
        };
        let slot = &mut self.nodes[table.0 as usize].slots[position];
        if slot.is_missing() {
            let key = keys.pop()?;
            *slot = Slot { key, content: Content::Value(value) };
            return None;
        }
        if value.kind == ValueKind::Missing {
            return None;
        }
        let gives_table = matches!(value.kind, ValueKind::Table(_));
        let kind = match &slot.content {
            Content::Value(_) => ConflictKind::DuplicateKey,
            Content::Table(_) if gives_table => ConflictKind::DuplicateTable,
            Content::Table(_) | Content::Tables(_) => ConflictKind::TableAsValue,
        };
        let first = self.place(table, position);
        Some(Conflict { kind, part: last, first })
    }

    /// Starts the section of a header. With a conflict, the returned table takes the section's entries: the conflicting table if
    /// possible, otherwise one that is dropped.
    pub(crate) fn header(&mut self, keys: &[Key], span: Span, array: bool) -> (TableId, Option<Conflict>) {
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

    /// Creates a table that is not part of the document, and is dropped.
    pub(crate) fn detached(&mut self, span: Span) -> TableId {
        self.section += 1;
        self.add(TableStyle::Header, span)
    }

    fn add(&mut self, style: TableStyle, span: Span) -> TableId {
        let explicit = style == TableStyle::Header;
        self.nodes.push(Node { style, span, explicit, dotted_in: None, slots: Vec::new(), index: None });
        TableId(self.nodes.len() as u32 - 1)
    }

    fn find(&self, table: TableId, key: &str) -> Option<usize> {
        let node = &self.nodes[table.0 as usize];
        match &node.index {
            Some(index) => index.get(key).map(|&position| position as usize),
            None => node.slots.iter().position(|slot| &*slot.key.text == key),
        }
    }

    fn push(&mut self, table: TableId, key: Key, content: Content) {
        let node = &mut self.nodes[table.0 as usize];
        if let Some(index) = &mut node.index {
            index.insert(key.text.clone(), node.slots.len() as u32);
        }
        // Most tables of a long text have one or two entries, but a vector would start with a capacity of four.
        if node.slots.is_empty() {
            node.slots.reserve_exact(2);
        }
        node.slots.push(Slot { key, content });
        if node.index.is_none() && node.slots.len() > FEW {
            let positions = node.slots.iter().enumerate().map(|(position, slot)| (slot.key.text.clone(), position as u32));
            node.index = Some(positions.collect());
        }
    }

    /// The span of the definition of the entry at `position` of `table`.
    fn place(&self, table: TableId, position: usize) -> Span {
        let slot = &self.nodes[table.0 as usize].slots[position];
        match &slot.content {
            Content::Table(id) if self.nodes[id.0 as usize].explicit => self.nodes[id.0 as usize].span,
            Content::Tables(ids) => ids.first().map_or(slot.key.span, |id| self.nodes[id.0 as usize].span),
            _ => slot.key.span,
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
        let content = if item { Content::Tables(vec![id]) } else { Content::Table(id) };
        match position {
            Some(position) => self.nodes[table.0 as usize].slots[position] = Slot { key: key.clone(), content },
            None => self.push(table, key.clone(), content),
        }
        id
    }

    /// The position of `key` in `table`, and whether the key can still be defined: it is absent, or has no value.
    fn occupied(&self, table: TableId, key: &Key) -> (Option<usize>, bool) {
        let position = self.find(table, &key.text);
        let free = position.is_none_or(|position| self.nodes[table.0 as usize].slots[position].is_missing());
        (position, free)
    }

    /// The table `key`, as the parent of a header's table; created if it does not exist.
    fn enter(&mut self, table: TableId, key: &Key, style: TableStyle) -> Result<TableId, (ConflictKind, Span, Option<TableId>)> {
        let (position, free) = self.occupied(table, key);
        let Some(position) = position.filter(|_| !free) else {
            let span = key.span;
            return Ok(self.create(table, position, key, style, span, false));
        };
        let slot = &self.nodes[table.0 as usize].slots[position];
        match &slot.content {
            Content::Table(id) => Ok(*id),
            Content::Tables(ids) => ids.last().copied().ok_or((ConflictKind::ArrayAsTable, slot.key.span, None)),
            Content::Value(value) => Err((not_a_table(value), slot.key.span, None)),
        }
    }

    /// The table `key`, as a part of a dotted key; created if it does not exist.
    fn enter_dotted(&mut self, table: TableId, key: &Key) -> Result<TableId, (ConflictKind, Span)> {
        let position = self.find(table, &key.text);
        if let Some(position) = position
            && let Content::Tables(_) = self.nodes[table.0 as usize].slots[position].content
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
        match &self.nodes[table.0 as usize].slots[position].content {
            Content::Table(id) => {
                let id = *id;
                if self.is_defined(id) {
                    return Err((ConflictKind::DuplicateTable, first, Some(id)));
                }
                let node = &mut self.nodes[id.0 as usize];
                (node.explicit, node.style, node.span) = (true, TableStyle::Header, span);
                Ok(id)
            }
            Content::Tables(ids) => Err((ConflictKind::ArrayAsTable, first, ids.last().copied())),
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
        match &mut self.nodes[table.0 as usize].slots[position].content {
            Content::Tables(ids) => {
                ids.push(item);
                Ok(item)
            }
            Content::Table(_) => Err((ConflictKind::TableAsArray, first, Some(item))),
            Content::Value(value) => Err((not_a_table(value), first, Some(item))),
        }
    }

    fn build(&mut self, id: TableId) -> Table {
        let node = &mut self.nodes[id.0 as usize];
        let (style, span) = (node.style, node.span);
        let slots = std::mem::take(&mut node.slots);
        let entries = slots.into_iter().map(|Slot { key, content }| Entry { key, value: self.build_value(content) }).collect();
        Table { style, span, entries }
    }

    fn build_value(&mut self, content: Content) -> Value {
        match content {
            Content::Value(value) => value,
            Content::Table(id) => self.build_table(id),
            Content::Tables(ids) => {
                let items: Vec<Value> = ids.into_iter().map(|id| self.build_table(id)).collect();
                Value { span: items.first().map_or(Span::default(), |item| item.span), kind: ValueKind::Array(items) }
            }
        }
    }

    fn build_table(&mut self, id: TableId) -> Value {
        let table = self.build(id);
        Value { span: table.span, kind: ValueKind::Table(table) }
    }
}

impl Slot {
    fn is_missing(&self) -> bool {
        matches!(&self.content, Content::Value(value) if value.kind == ValueKind::Missing)
    }
}

fn not_a_table(value: &Value) -> ConflictKind {
    match value.kind {
        ValueKind::Table(_) | ValueKind::Array(_) => ConflictKind::ExtendsInline,
        _ => ConflictKind::ValueAsTable,
    }
}
