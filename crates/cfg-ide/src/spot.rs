//! What is written at the cursor.

use std::collections::HashMap;

use cfg_diag::Span;
use cfg_syntax::{Document, Header, Table, TableStyle, Value, ValueKind};

use crate::place::{self, PathSegment, dotted};

/// What is at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spot {
    /// A part of a dotted key, in a header or before a value; the path ends with it.
    Key {
        /// From the root to this key.
        path: Vec<PathSegment>,
        /// The key's own bytes.
        span: Span,
        /// Whether it is in a header.
        in_header: bool,
    },
    /// A value that is neither an array nor a table.
    Value {
        /// From the root to the value.
        path: Vec<PathSegment>,
        /// Its bytes.
        span: Span,
    },
}

impl Spot {
    /// The path from the root.
    pub fn path(&self) -> &[PathSegment] {
        match self {
            Self::Key { path, .. } | Self::Value { path, .. } => path,
        }
    }

    /// The bytes that it is about.
    pub const fn span(&self) -> Span {
        match self {
            Self::Key { span, .. } | Self::Value { span, .. } => *span,
        }
    }
}

/// What is at `offset`.
pub fn spot(document: &Document, offset: u32) -> Option<Spot> {
    if let Some(index) = document.headers.iter().position(|header| header.span.touches(offset)) {
        let header = &document.headers[index];
        let at = header.keys.iter().position(|key| key.span.touches(offset))?;
        let names: Vec<&str> = header.keys[..=at].iter().map(|key| &*key.text).collect();
        let mut path = path_below(&document.headers[..index], &names);
        path.pop_if(|last| matches!(last, PathSegment::Index(_)));
        return Some(Spot::Key { path, span: header.keys[at].span, in_header: true });
    }
    let mut path = path_around(document, offset);
    let table = place::table(&document.root, &path)?;
    within(table, offset, &mut path)
}

/// The dotted name of the table whose body contains `offset`: that of the header before it.
pub fn table_around(document: &Document, offset: u32) -> String {
    dotted(&path_around(document, offset))
}

/// The path of the table whose body contains `offset`.
pub(crate) fn path_around(document: &Document, offset: u32) -> Vec<PathSegment> {
    let Some(above) = document.headers.iter().rposition(|header| header.span.end <= offset) else { return Vec::new() };
    let names: Vec<&str> = document.headers[above].keys.iter().map(|key| &*key.text).collect();
    path_below(&document.headers[..=above], &names)
}

/// The path that keys of a header name below other headers: each array of tables means its last item so far.
pub(crate) fn path_below(headers: &[Header], names: &[&str]) -> Vec<PathSegment> {
    // The number of items of the array at each of the keys.
    let mut counts = vec![0; names.len()];
    // A header that is about to be written has no keys.
    let may_count = |header: &&Header| header.array && (1..=names.len()).contains(&header.keys.len());
    for header in headers.iter().filter(may_count) {
        if header.keys.iter().zip(names).all(|(key, name)| *key.text == **name) {
            counts[header.keys.len() - 1] += 1;
            counts[header.keys.len()..].fill(0);
        }
    }
    let mut path = Vec::with_capacity(names.len() + 1);
    for (name, count) in names.iter().zip(counts) {
        path.push(PathSegment::Key((*name).into()));
        if count > 0 {
            path.push(PathSegment::Index(count - 1));
        }
    }
    path
}

fn within(table: &Table, offset: u32, path: &mut Vec<PathSegment>) -> Option<Spot> {
    for entry in &table.entries {
        path.push(PathSegment::Key(entry.key.text.clone()));
        let is_body = !matches!(&entry.value.kind, ValueKind::Table(inner) if inner.style == TableStyle::Header);
        if is_body && !entry.value.is_array_of_tables() {
            if entry.key.span.touches(offset) && !is_named_by_header(&entry.value) {
                return Some(Spot::Key { path: path.clone(), span: entry.key.span, in_header: false });
            }
            if let Some(found) = within_value(&entry.value, offset, path) {
                return Some(found);
            }
        }
        path.pop();
    }
    None
}

/// Whether a table exists only because a header below it names it.
fn is_named_by_header(value: &Value) -> bool {
    matches!(&value.kind, ValueKind::Table(table) if table.style == TableStyle::Implicit)
}

fn within_value(value: &Value, offset: u32, path: &mut Vec<PathSegment>) -> Option<Spot> {
    match &value.kind {
        ValueKind::Table(table) if table.style == TableStyle::Dotted || value.span.touches(offset) => within(table, offset, path),
        ValueKind::Array(items) if value.span.touches(offset) => {
            for (index, item) in items.iter().enumerate() {
                path.push(PathSegment::Index(index));
                if let Some(found) = within_value(item, offset, path) {
                    return Some(found);
                }
                path.pop();
            }
            None
        }
        ValueKind::Table(_) | ValueKind::Array(_) | ValueKind::Missing => None,
        _ if value.span.touches(offset) => Some(Spot::Value { path: path.clone(), span: value.span }),
        _ => None,
    }
}

/// The path of the table that each header opens.
pub(crate) struct Bodies {
    paths: Vec<Vec<PathSegment>>,
}

impl Bodies {
    /// Follows the headers from the top: `[a.b]` below `[[a]]` means the last item of `a`.
    pub(crate) fn new(document: &Document) -> Self {
        let mut items: HashMap<Vec<PathSegment>, usize> = HashMap::new();
        let paths = document.headers.iter().map(|header| path_of(header, &mut items)).collect();
        Self { paths }
    }

    /// The path of the table that a header opens.
    pub(crate) fn path(&self, header: usize) -> &[PathSegment] {
        &self.paths[header]
    }

    /// The path of one part of a header.
    pub(crate) fn path_of_part(&self, document: &Document, header: usize, part: usize) -> Vec<PathSegment> {
        let mut keys = 0;
        let path = &self.paths[header];
        let end = path.iter().position(|step| {
            let is_key = matches!(step, PathSegment::Key(_));
            keys += usize::from(is_key);
            is_key && keys == part + 1
        });
        debug_assert!(part < document.headers[header].keys.len());
        path[..end.map_or(path.len(), |end| end + 1)].to_vec()
    }
}

fn path_of(header: &Header, items: &mut HashMap<Vec<PathSegment>, usize>) -> Vec<PathSegment> {
    let mut path = Vec::with_capacity(header.keys.len() + 1);
    for (part, key) in header.keys.iter().enumerate() {
        path.push(PathSegment::Key(key.text.clone()));
        if header.array && part + 1 == header.keys.len() {
            let count = items.entry(path.clone()).or_insert(0);
            *count += 1;
            path.push(PathSegment::Index(*count - 1));
        } else if let Some(count) = items.get(&path) {
            path.push(PathSegment::Index(count - 1));
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use cfg_diag::FileId;
    use cfg_syntax::Dialect;

    use super::{Spot, spot};
    use crate::dotted;

    fn at(text: &str) -> Option<Spot> {
        let offset = text.find('^').expect("a cursor");
        let (document, _) = cfg_syntax::parse(FileId(0), &text.replace('^', ""), Dialect::Toml11);
        spot(&document, offset as u32)
    }

    fn path(text: &str) -> String {
        at(text).map(|spot| format!("{spot:?}")).map_or_else(String::new, |_| dotted(at(text).expect("a spot").path()))
    }

    #[test]
    fn keys_are_found_in_every_notation() {
        assert_eq!(path("a^b = 1"), "ab");
        assert_eq!(path("[x.y]\nk^ = 1"), "x.y.k");
        assert_eq!(path("[x.y^]\nk = 1"), "x.y");
        assert_eq!(path("[x^.y]\nk = 1"), "x");
        assert_eq!(path("[x]\na.b^ = 1"), "x.a.b");
        assert_eq!(path("[x]\na = { b^ = 1 }"), "x.a.b");
        assert_eq!(path("[[e]]\nid = 1\n[[e]]\ni^d = 2"), "e.id");
        assert_eq!(path("[x]\n# comm^ent"), "");
    }

    #[test]
    fn values_are_found_with_their_path() {
        let Some(Spot::Value { path, .. }) = at("[[e]]\nid = 1\n[e.args]\nlist = [1, 2^2]") else { panic!("a value") };
        assert_eq!(format!("{path:?}"), r#"[Key("e"), Index(0), Key("args"), Key("list"), Index(1)]"#);
    }
}
