//! The outline of a document.

use cfg_diag::Span;
use cfg_syntax::{Document, Entry, Table, TableStyle, Value, ValueKind};

use crate::{
    Analysis,
    environments::{NamedEnvironment, environments},
    place::{self, PathSegment, dotted},
    spot::Bodies,
};

/// The type of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// A table with a header of its own.
    Table,
    /// An item of an array of tables.
    Item,
    /// A key with a string.
    String,
    /// A key with a number.
    Number,
    /// A key with a boolean.
    Boolean,
    /// A key with an array.
    Array,
    /// A key with an inline table.
    Object,
}

/// A part of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its key; for a table the whole dotted key.
    pub name: String,
    /// Its value, if that is short, or what distinguishes an item from its neighbours.
    pub detail: Option<String>,
    /// Its type.
    pub kind: SymbolKind,
    /// The whole range: a table with its body.
    pub span: Span,
    /// The range of its name.
    pub selection: Span,
    /// The symbols in it.
    pub children: Vec<Symbol>,
}

/// The longest value that an outline shows, in characters.
const LONGEST: usize = 40;

/// The outline: keys of the root, then one symbol for each header with the keys of its body.
pub fn symbols(analysis: &Analysis) -> Vec<Symbol> {
    let document = &analysis.document;
    let bodies = Bodies::new(document);
    let environments = environments(document);
    let mut symbols = body(analysis, &document.root);
    for (index, header) in document.headers.iter().enumerate() {
        let path = bodies.path(index);
        let end = document.headers.get(index + 1).map_or(analysis.text.len() as u32, |next| next.span.start);
        let end = header.span.start + analysis.text[header.span.start as usize..end as usize].trim_end().len() as u32;
        let table = place::table(&document.root, path).filter(|table| table.span == header.span);
        let is_item = matches!(path.last(), Some(PathSegment::Index(_)));
        let name = dotted(path);
        symbols.push(Symbol {
            // The protocol does not allow a symbol without a name, which a half-typed `[` does not have.
            name: if name.is_empty() { "[".to_owned() } else { name },
            detail: table.filter(|_| is_item).and_then(|table| label_of_item(analysis, &environments, table)),
            kind: if is_item { SymbolKind::Item } else { SymbolKind::Table },
            span: Span::new(header.span.start, end.max(header.span.end)),
            selection: header.span,
            children: table.map(|table| body(analysis, table)).unwrap_or_default(),
        });
    }
    symbols
}

/// What distinguishes an item of an array of tables from the others: its name or its id.
fn label_of_item(analysis: &Analysis, environments: &[NamedEnvironment<'_>], table: &Table) -> Option<String> {
    let of_environment = || {
        let span =
            environments.iter().filter_map(|found| found.ids.last()).map(|(_, span)| *span).find(|span| holds(table, *span))?;
        Some(analysis.text[span.range()].to_owned())
    };
    ["name", "id", "type"].iter().find_map(|key| short(analysis, &table.get(key)?.value)).or_else(of_environment)
}

/// Whether the value at a place is in a table.
fn holds(table: &Table, span: Span) -> bool {
    table.entries.iter().any(|entry| match &entry.value.kind {
        ValueKind::Table(inner) => holds(inner, span),
        _ => entry.value.span == span,
    })
}

fn body(analysis: &Analysis, table: &Table) -> Vec<Symbol> {
    table.entries.iter().filter(|entry| !has_header(&entry.value)).map(|entry| symbol(analysis, entry)).collect()
}

/// Whether a value is written by headers, which are symbols of their own.
fn has_header(value: &Value) -> bool {
    match &value.kind {
        ValueKind::Table(table) => matches!(table.style, TableStyle::Header | TableStyle::Implicit),
        _ => value.is_array_of_tables(),
    }
}

fn symbol(analysis: &Analysis, entry: &Entry) -> Symbol {
    let kind = match &entry.value.kind {
        ValueKind::Integer(_) | ValueKind::Float(_) => SymbolKind::Number,
        ValueKind::Boolean(_) => SymbolKind::Boolean,
        ValueKind::Array(_) => SymbolKind::Array,
        ValueKind::Table(_) => SymbolKind::Object,
        _ => SymbolKind::String,
    };
    let children = match &entry.value.kind {
        ValueKind::Table(inner) => body(analysis, inner),
        _ => Vec::new(),
    };
    let end = children.iter().map(|child| child.span.end).fold(entry.value.span.end.max(entry.key.span.end), u32::max);
    Symbol {
        name: if entry.key.text.trim().is_empty() { "\"\"".to_owned() } else { entry.key.text.to_string() },
        detail: short(analysis, &entry.value),
        kind,
        span: Span::new(entry.key.span.start, end),
        selection: entry.key.span,
        children,
    }
}

fn short(analysis: &Analysis, value: &Value) -> Option<String> {
    if matches!(value.kind, ValueKind::Table(_) | ValueKind::Missing | ValueKind::Invalid) {
        return None;
    }
    let text = &analysis.text[value.span.range()];
    (!text.contains('\n') && text.chars().count() <= LONGEST).then(|| text.to_owned())
}

/// The keys of a document whose dotted name is wanted, with the place where each occurs first. For a search over many files.
pub fn search(document: &Document, is_wanted: &dyn Fn(&str) -> bool) -> Vec<(String, Span)> {
    fn within(table: &Table, key: &mut String, is_wanted: &dyn Fn(&str) -> bool, found: &mut Vec<(String, Span)>) {
        for entry in &table.entries {
            let length = key.len();
            if length > 0 {
                key.push('.');
            }
            key.push_str(&entry.key.text);
            if is_wanted(key) {
                found.push((key.clone(), entry.key.span));
            }
            match &entry.value.kind {
                ValueKind::Table(inner) => within(inner, key, is_wanted, found),
                ValueKind::Array(items) => {
                    for item in items {
                        if let ValueKind::Table(inner) = &item.kind {
                            within(inner, key, is_wanted, found);
                        }
                    }
                }
                _ => {}
            }
            key.truncate(length);
        }
    }
    let mut found = Vec::new();
    within(&document.root, &mut String::new(), is_wanted, &mut found);
    found
}
