//! Read access to a resolved table: values by dotted path, with defaults for values that are not given.

mod constant_path;
mod untouched;

use cfg_compose::{Integer, Node as RawNode, Origin};
use cfg_diag::Location;
use cfg_schema::{Interval, Node, Point, Policy, Schema, TypeKind};

pub(crate) use self::constant_path::KeyPath;
pub use self::untouched::untouched;
use crate::{Field, Resolved, ResolvedTable, ResolvedValue, coerce, default, default::default_of, walk};

/// A table of a resolved config, read at a schema.
///
/// Paths are dotted, without indices and variants: `model.seq_len`, `optim.lr`. A table with several variants has the fields of the selected one.
/// Any path can be looked up in any config: the result is `None` if the path does not exist at the point, leads through null, or has an invalid
/// value.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    schema: Schema,
    table: &'a ResolvedTable,
}

impl<'a> View<'a> {
    /// The whole of a resolved config.
    pub fn new(schema: Schema, table: &'a ResolvedTable) -> Self {
        Self { schema, table }
    }

    /// The schema with which the config was resolved.
    pub const fn schema(&self) -> Schema {
        self.schema
    }

    /// The table itself, as the walker left it.
    pub const fn table(&self) -> &'a ResolvedTable {
        self.table
    }

    /// The table at a path, or the default if it is not given. The empty path is this table.
    pub fn below(&self, path: &str) -> Option<View<'a>> {
        Some(View { schema: self.schema, table: get_table(self.table, path, self.schema.point)? })
    }

    /// The tables of an array at a path, each with its index. Items that are not tables are omitted.
    pub fn each(&self, path: &str) -> Vec<(usize, View<'a>)> {
        let items = self.get(path).and_then(|list| list.value.as_list()).unwrap_or_default();
        let table = |(index, item): (usize, &'a Resolved)| match &item.value {
            ResolvedValue::Table(table) => Some((index, View { schema: self.schema, table })),
            _ => None,
        };
        items.iter().enumerate().filter_map(table).collect()
    }

    /// The value at a path.
    pub fn get(&self, path: &str) -> Option<&'a Resolved> {
        get(self.table, path, self.schema.point)
    }

    /// The value that makes a path of this point inaccessible: null, or an invalid value where a table is required. `None` if the path has a value,
    /// or does not exist.
    pub fn in_the_way(&self, path: &str) -> Option<&'a Resolved> {
        let point = self.schema.point;
        let mut above = path;
        while let Some((tables, _)) = above.rsplit_once('.') {
            above = tables;
            let Some(resolved) = self.get(above) else { continue };
            return match &resolved.value {
                ResolvedValue::Null | ResolvedValue::Invalid => {
                    let node = field_below(self.table.node, above, point)?;
                    field_below(node, &path[above.len() + 1..], point)?;
                    Some(resolved)
                }
                _ => None,
            };
        }
        None
    }

    /// The extra keys of the table at a path, which it does not know but keeps, in the order of writing.
    pub fn extras(&self, path: &str) -> Vec<(Box<str>, Resolved)> {
        let Some(table) = get_table(self.table, path, self.schema.point) else { return Vec::new() };
        let extra = |(key, raw): &(Box<str>, RawNode)| (key.clone(), resolved_raw(raw));
        table.extra.iter().map(extra).collect()
    }

    /// The keys that the table itself refuses, as they are written.
    pub fn refused(&self) -> impl Iterator<Item = (&str, Resolved)> {
        self.table.refused.iter().map(|(key, raw)| (&**key, resolved_raw(raw)))
    }

    /// The value of a free key: an entry of a map, or an extra key. Null if such a key is not given; `None` if no free key is allowed.
    pub fn free(&self, path: &str) -> Option<Resolved> {
        let (tables, last) = last_key(path);
        let empty = || Resolved { value: ResolvedValue::Null, origin: Origin::Default };
        if let Some(table) = get_table(self.table, tables, self.schema.point) {
            let is_open = table.node.at(self.schema.point)?.field_type().kind() == TypeKind::Table(Policy::Allow);
            let extra = table.extra.iter().find(|(key, _)| **key == *last).map(|(_, raw)| resolved_raw(raw));
            return extra.or_else(|| is_open.then(empty));
        }
        let map = self.get(tables)?;
        let entry = map.value.as_map()?.iter().find(|(key, _)| **key == *last);
        Some(entry.map_or_else(empty, |(_, entry)| entry.clone()))
    }

    /// Whether this table itself has a field of that name at this point, whatever its value.
    pub fn has_field(&self, name: &str) -> bool {
        self.table.node.field(name).is_some_and(|field| field.at(self.schema.point).is_some())
    }

    /// Whether the path exists at this point, whatever its value.
    pub fn exists(&self, path: &str) -> bool {
        self.get(path).is_some()
    }

    /// Whether there is a value other than null.
    pub fn has(&self, path: &str) -> bool {
        self.get(path).is_some_and(|resolved| !matches!(resolved.value, ResolvedValue::Null))
    }

    /// Whether prime-rl counts the field as set: given, or assigned by a validator.
    pub fn is_set(&self, path: &str) -> bool {
        is_set(self.table, path)
    }

    /// The origin of the value at a path.
    pub fn origin(&self, path: &str) -> Option<Origin> {
        Some(self.get(path)?.origin)
    }

    /// The location that decides the value at a path: the place where it is written, or where the value from which prime-rl derived it is written.
    pub fn location(&self, path: &str) -> Option<Location> {
        location(self.table, path)
    }

    /// An integer. Those beyond 64 bits become the largest one.
    pub fn int(&self, path: &str) -> Option<i64> {
        self.get(path)?.value.as_int()
    }

    /// A number.
    pub fn float(&self, path: &str) -> Option<f64> {
        self.get(path)?.value.as_float()
    }

    /// A boolean.
    pub fn bool(&self, path: &str) -> Option<bool> {
        self.get(path)?.value.as_bool()
    }

    /// A string.
    pub fn str(&self, path: &str) -> Option<&'a str> {
        self.get(path)?.value.as_str()
    }

    /// The number of items of an array or a map.
    pub fn len(&self, path: &str) -> Option<usize> {
        self.get(path)?.value.len()
    }

    /// The tag of a table with several variants. The empty path is this table.
    pub fn tag(&self, path: &str) -> Option<&'static str> {
        if path.is_empty() { tag_of(self.table) } else { self.get(path)?.value.tag() }
    }
}

impl ResolvedValue {
    /// The integer, if it is one. Those beyond 64 bits become the largest one.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(Integer::Small(small)) => Some(*small),
            Self::Int(Integer::Big(digits)) => Some(if digits.starts_with('-') { i64::MIN } else { i64::MAX }),
            _ => None,
        }
    }

    /// The integer, if it is one. Those beyond 128 bits become the largest one.
    pub(crate) fn as_wide(&self) -> Option<i128> {
        if let Self::Int(integer) = self { Some(coerce::wide(integer)) } else { None }
    }

    /// The number, if it is one.
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Self::Float(float) => Some(*float),
            Self::Int(integer) => Some(coerce::as_double(integer)),
            _ => None,
        }
    }

    /// The boolean, if it is one.
    pub const fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(boolean) = self { Some(*boolean) } else { None }
    }

    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::Str(text) = self { Some(text) } else { None }
    }

    /// The table with known keys, if it is one.
    pub fn as_table(&self) -> Option<&ResolvedTable> {
        if let Self::Table(table) = self { Some(table) } else { None }
    }

    /// The entries of a map with free keys, if it is one.
    pub fn as_map(&self) -> Option<&[(Box<str>, Resolved)]> {
        if let Self::Map(entries) = self { Some(entries) } else { None }
    }

    /// The items of an array, if it is one.
    pub fn as_list(&self) -> Option<&[Resolved]> {
        if let Self::List(items) = self { Some(items) } else { None }
    }

    /// The number of items of an array or a map.
    #[expect(clippy::len_without_is_empty, reason = "most values have no length at all")]
    pub fn len(&self) -> Option<usize> {
        match self {
            Self::List(items) => Some(items.len()),
            Self::Map(entries) => Some(entries.len()),
            _ => None,
        }
    }

    /// The tag of a table with several variants.
    pub fn tag(&self) -> Option<&'static str> {
        match self {
            Self::Table(table) => tag_of(table),
            _ => None,
        }
    }
}

fn tag_of(table: &ResolvedTable) -> Option<&'static str> {
    table.node.variant_tag()
}

/// The field at a path below a node, through any variants.
pub(crate) fn field_below(node: Node, path: &str, point: Point) -> Option<Node> {
    path.split('.').try_fold(node, |node, key| {
        let field = |node: Node| node.field(key).filter(|field| field.at(point).is_some());
        field(node).or_else(|| node.variants(point).find_map(field))
    })
}

fn resolved_raw(raw: &RawNode) -> Resolved {
    Resolved { value: walk::free(raw.value.clone()), origin: raw.origin }
}

/// The location that decides the value at a path; `None` for a default.
pub(crate) fn location(table: &ResolvedTable, path: &str) -> Option<Location> {
    let (tables, last) = last_key(path);
    given_table(table, tables)?.given(last)?.resolved.origin.place()
}

/// The table at a path of given fields.
fn given_table<'t>(table: &'t ResolvedTable, path: &str) -> Option<&'t ResolvedTable> {
    keys(path).try_fold(table, |table, key| match &table.given(key)?.resolved.value {
        ResolvedValue::Table(below) => Some(&**below),
        _ => None,
    })
}

/// Whether prime-rl counts the field at a path as set.
pub(crate) fn is_set(table: &ResolvedTable, path: &str) -> bool {
    let (tables, last) = last_key(path);
    given_table(table, tables).and_then(|table| table.given(last)).is_some_and(|field| field.is_set)
}

/// The value at a path: [`ResolvedValue::Invalid`] if it leads through an invalid value, `None` if it does not exist at this point or leads through
/// null.
pub(crate) fn get<'t>(mut table: &'t ResolvedTable, path: &str, point: Point) -> Option<&'t Resolved> {
    let (mut key, mut rest) = first_key(path);
    loop {
        let node = table.node.field(key)?;
        let Some(field) = table.fields.find(node) else {
            return default_at(node, rest, point);
        };
        let Some(below) = rest else { return Some(&field.resolved) };
        match &field.resolved.value {
            ResolvedValue::Table(inner) => table = inner,
            ResolvedValue::Invalid => return Some(&field.resolved),
            _ => return None,
        }
        (key, rest) = first_key(below);
    }
}

/// The keys of a path; the empty path has none.
pub(crate) fn keys(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = (!path.is_empty()).then_some(path);
    std::iter::from_fn(move || {
        let (key, below) = first_key(rest?);
        rest = below;
        Some(key)
    })
}

/// The path of the table that contains the last key of a path, and that key.
pub(crate) fn last_key(path: &str) -> (&str, &str) {
    path.bytes().rposition(|byte| byte == b'.').map_or(("", path), |dot| (&path[..dot], &path[dot + 1..]))
}

/// The first key of a path, and the path below it.
fn first_key(path: &str) -> (&str, Option<&str>) {
    match path.bytes().position(|byte| byte == b'.') {
        Some(end) => (&path[..end], Some(&path[end + 1..])),
        None => (path, None),
    }
}

/// The value of a field that is not given, or at a path below it.
fn default_at(mut node: Node, mut rest: Option<&str>, point: Point) -> Option<&'static Resolved> {
    loop {
        let interval = node.at(point)?;
        let Some(below) = rest else { return Some(not_given(node, interval, point)) };
        if let Some(table) = default::untouched_table(node, interval) {
            let (key, deeper) = first_key(below);
            (node, rest) = (table.field(key)?, deeper);
            continue;
        }
        let given = not_given(node, interval, point);
        return match &given.value {
            ResolvedValue::Table(table) => get(table, below, point),
            ResolvedValue::Invalid => Some(given),
            _ => None,
        };
    }
}

/// The value of a field that is not given. If it is required, that has been reported.
pub(crate) fn not_given(node: Node, interval: Interval, point: Point) -> &'static Resolved {
    static MISSING: Resolved = Resolved { value: ResolvedValue::Invalid, origin: Origin::Default };
    if interval.is_required() { &MISSING } else { default_of(node, interval, point) }
}

/// Makes the value at a path unknown unless it is given: something else states it, in a way that prime-rl does not read.
pub(crate) fn leave_unknown(table: &mut ResolvedTable, path: &str, point: Point) {
    let Some((owner, field)) = (&path).owner_mut(table, point) else { return };
    if field.at(point).is_none() || owner.fields.find(field).is_some_and(|given| given.is_set) {
        return;
    }
    owner.fields.retain(|given| given.node != field);
    let resolved = Resolved { value: ResolvedValue::Invalid, origin: Origin::Default };
    owner.fields.push(Field { node: field, resolved, is_set: false });
}

/// The value of a table's field, mutable. A default is copied into the table first, and does not count as set.
pub(crate) fn given_or_default(table: &mut ResolvedTable, field: Node, point: Point) -> Option<&mut Resolved> {
    let place = match table.fields.place_of(field) {
        Some(place) => place,
        None => {
            let resolved = not_given(field, field.at(point)?, point).clone();
            table.fields.push(Field { node: field, resolved, is_set: false });
            table.fields.len() - 1
        }
    };
    table.fields.get_mut(place).map(|field| &mut field.resolved)
}

pub(crate) fn get_table<'t>(table: &'t ResolvedTable, path: &str, point: Point) -> Option<&'t ResolvedTable> {
    if path.is_empty() {
        return Some(table);
    }
    if let ResolvedValue::Table(below) = &get(table, path, point)?.value { Some(below) } else { None }
}
