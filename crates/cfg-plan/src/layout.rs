//! Where a setting is found in tables of a class. Which of its keys exist there, and what it is if they are not given, depends only on the schema,
//! so it is determined once for each class.

use std::borrow::Cow;

use cfg_compose::Origin;
use cfg_diag::Location;
use cfg_resolve::{Field, Resolved, ResolvedTable, ResolvedValue, View};
use cfg_schema::{Node, NodeCache, Point, Policy, TypeKind};

use crate::{
    Fact, Key, Setting,
    fact::{Owner, in_table},
    reader::{Above, FieldSet, Reader},
    value::Value,
};

/// A setting in one class of table at one point.
#[derive(Debug)]
pub(crate) struct Layout<T> {
    /// The keys that begin with a field of the table, the newest first. A key is a dotted path from the table. `filters[zero_advantage].enforce`
    /// is a key of the item with that tag in an array.
    candidates: Vec<Candidate<T>>,
    /// The fields with which they begin.
    fields: FieldSet,
    /// The setting if none of these is given.
    untouched: Setting<T>,
    /// The shared keys from which prime-rl copies it.
    shared: &'static [&'static str],
    /// The fields on the shared keys, by the table that has them.
    shared_fields: NodeCache<Box<[Box<[Node]>]>>,
}

/// A key that a setting can have in a table.
#[derive(Debug)]
struct Candidate<T> {
    /// The key.
    path: &'static &'static str,
    /// Whether the key leads into an item of an array.
    in_item: bool,
    /// The rest of the key: `.lr` of `optim.lr`; empty if its first field is the whole key.
    rest: &'static str,
    /// The field of the table with which the key begins.
    field: Node,
    /// The setting if that field is not given; `None` if the key does not exist.
    untouched: Option<Setting<T>>,
    /// Where the key leads to from that field, by the class of its table.
    leads_to: NodeCache<LeadsTo<T>>,
}

/// Where a key leads to from one of its fields.
#[derive(Debug)]
enum LeadsTo<T> {
    /// It is the field itself.
    Itself,
    /// To a field of the field's table, or below it.
    Inner {
        /// The field.
        field: Node,
        /// The setting if the table is given and the field is not.
        untouched: Setting<T>,
        /// Where the key leads to from the field.
        leads_to: Box<LeadsTo<T>>,
    },
    /// To a place that depends on what is written.
    Elsewhere,
}

/// What a table has for a key.
enum Found<'a, T> {
    /// A value.
    Value(&'a Resolved),
    /// A value that was made from a free key.
    Made(Box<Resolved>),
    /// The setting, apart from the key of its table.
    Known(&'a Setting<T>),
}

fn first_key(path: &str) -> &str {
    &path[..path.bytes().position(|byte| matches!(byte, b'.' | b'[')).unwrap_or(path.len())]
}

impl<T: Value> Layout<T> {
    /// The layout of a setting with these keys, the newest first, and the shared keys from which prime-rl copies it. `empty` reads a table of the
    /// class without given keys.
    pub(crate) fn new(own: &'static [&'static str], shared: &'static [&'static str], empty: &Reader<'_>) -> Self {
        let candidates: Vec<Candidate<T>> = own.iter().filter_map(|path| Candidate::find(path, empty)).collect();
        let fields = FieldSet::of(candidates.iter().map(|candidate| candidate.field));
        let mut layout = Self { candidates, fields, untouched: Setting::Absent, shared, shared_fields: NodeCache::new() };
        layout.untouched = layout.setting_in(empty);
        layout
    }

    /// Reads the setting, which is absent, from a table of the class.
    pub(crate) fn read(&self, setting: &mut Setting<T>, reader: &Reader<'_>) {
        if self.candidates.is_empty() {
            return;
        }
        let is_touched = self.fields.meets(reader.given) || (!self.shared.is_empty() && reader.not_copied_from().is_some());
        *setting = if is_touched { self.setting_in(reader) } else { in_table(&self.untouched, &reader.owner) };
    }

    /// The setting by the first of its keys that is given, or else the first that exists.
    fn setting_in(&self, reader: &Reader<'_>) -> Setting<T> {
        let mut first = None;
        for candidate in &self.candidates {
            let found = match reader.given(candidate.field) {
                Some(given) => candidate.found_in(given, reader),
                None => candidate.untouched.as_ref().map(Found::Known),
            };
            let Some(found) = found else { continue };
            if !found.is_default() {
                return self.make(found, reader, candidate.path);
            }
            first.get_or_insert((found, candidate.path));
        }
        let Some((found, path)) = first else { return Setting::Absent };
        self.not_yet_copied(path, reader).unwrap_or_else(|| self.make(found, reader, path))
    }

    fn make(&self, found: Found<'_, T>, reader: &Reader<'_>, path: &'static &'static str) -> Setting<T> {
        match found {
            Found::Known(setting) => in_table(setting, &reader.owner),
            Found::Value(resolved) => setting(resolved, reader, path, || self.copied_from(source(resolved.origin)?, reader)),
            Found::Made(resolved) => setting(&resolved, reader, path, || self.copied_from(source(resolved.origin)?, reader)),
        }
    }

    /// The shared key from which prime-rl copied the value at a place, if the user wrote that key.
    fn copied_from(&self, place: Location, reader: &Reader<'_>) -> Option<Box<(Key, Location)>> {
        let (above, owner) = match reader.above? {
            Above::Run(above) => (above, &Owner::TOP),
            Above::Component(above, owner) => (above, owner),
        };
        let node = above.table().node;
        let fields =
            self.shared_fields.of(node, above.schema().point, || self.shared.iter().map(|path| fields(path, node)).collect());
        let (path, _) = self.shared.iter().zip(fields).find(|(path, fields)| place_of(path, fields, above) == Some(place))?;
        Some(Box::new((Key::new(owner.clone(), path), place)))
    }

    /// The value of a shared key that prime-rl has not copied because of an error elsewhere.
    fn not_yet_copied(&self, own: &'static &'static str, reader: &Reader<'_>) -> Option<Setting<T>> {
        let top = reader.not_copied_from()?;
        let (path, resolved) = self.shared.iter().find_map(|path| Some((path, top.get(path)?)))?;
        let location = resolved.origin.location()?;
        let value = T::read(resolved, &Reader::new(*top, Owner::TOP, None), path)?;
        let shared = Some(Box::new((Key::new(Owner::TOP, path), location)));
        Some(Setting::Is(Fact { value, key: Key::new(reader.owner.clone(), own), origin: resolved.origin, shared }))
    }
}

/// The place of the value from which prime-rl made a value with this origin.
const fn source(origin: Origin) -> Option<Location> {
    match origin {
        Origin::Loader(derivation) | Origin::Check(derivation) => derivation.from,
        _ => None,
    }
}

/// The fields on a path, without those that depend on what is written.
fn fields(path: &str, mut node: Node) -> Box<[Node]> {
    let field = |key| {
        node = node.field(key)?;
        Some(node)
    };
    path.split('.').map_while(field).collect()
}

/// The place that decides the given value at a path in a table with these fields.
fn place_of(path: &str, fields: &[Node], view: &View<'_>) -> Option<Location> {
    let (mut table, mut rest) = (view.table(), path);
    for field in fields {
        let given = &table.fields.iter().find(|given| given.node == *field)?.resolved;
        let below = &rest[first_key(rest).len()..];
        let Some(below) = below.strip_prefix('.') else { return given.origin.place() };
        match &given.value {
            ResolvedValue::Table(inner) if inner.node == *field => (table, rest) = (inner, below),
            ResolvedValue::Table(inner) => return View::new(view.schema(), inner).location(below),
            _ => return None,
        }
    }
    View::new(view.schema(), table).location(rest)
}

/// The setting for a value.
fn setting<T: Value>(
    resolved: &Resolved,
    reader: &Reader<'_>,
    path: &'static &'static str,
    shared: impl FnOnce() -> Option<Box<(Key, Location)>>,
) -> Setting<T> {
    let (key, origin) = (Key::new(reader.owner.clone(), path), resolved.origin);
    let value = match &resolved.value {
        ResolvedValue::Null => T::null(),
        ResolvedValue::Invalid => return Setting::Faulty { key, origin },
        _ => match T::read(resolved, reader, path) {
            Some(value) => Some(value),
            None => return Setting::Faulty { key, origin },
        },
    };
    match value {
        Some(value) => Setting::Is(Fact { value, key, origin, shared: shared() }),
        None => Setting::Empty { key, origin },
    }
}

/// The setting for a value in a table that inherits nothing.
fn own<T: Value>(resolved: &Resolved, reader: &Reader<'_>, path: &'static &'static str) -> Setting<T> {
    setting(resolved, reader, path, || None)
}

impl<T> Found<'_, T> {
    fn is_default(&self) -> bool {
        let origin = match self {
            Self::Value(resolved) => Some(resolved.origin),
            Self::Made(resolved) => Some(resolved.origin),
            Self::Known(setting) => setting.origin(),
        };
        matches!(origin, Some(Origin::Default))
    }
}

impl<T: Value> LeadsTo<T> {
    /// Where a key leads to from the last of these fields, whose rest is `rest`. Each field is one of the class of the field before it; the class of a
    /// field's table is the field itself, or a variant. `reader` is of the class of the first field.
    fn find(path: &'static &'static str, rest: &str, fields: &[(Node, Node)], reader: &Reader<'_>) -> Self {
        let inner = || {
            let rest = rest.strip_prefix('.')?;
            let key = first_key(rest);
            let schema = reader.view.schema();
            let field = fields.last()?.1.field(key).filter(|field| field.at(schema.point).is_some())?;
            let table = with_empty(reader.view.table().node, fields);
            let empty = Reader::new(View::new(schema, &table), Owner::TOP, None);
            let untouched = empty.get(path, path.contains('[')).map(|resolved| own(&resolved, &empty, path))?;
            let leads_to = Box::new(Self::find(path, &rest[key.len()..], &[fields, &[(field, field)]].concat(), reader));
            Some(Self::Inner { field, untouched, leads_to })
        };
        if rest.is_empty() { Self::Itself } else { inner().unwrap_or(Self::Elsewhere) }
    }

    /// What a table has for the key if the field from which it leads is given. `class` is the known class of that field's table.
    fn found<'r>(&'r self, class: Node, given: &'r Resolved) -> Option<Found<'r, T>> {
        match (self, &given.value) {
            (Self::Itself, _) => Some(Found::Value(given)),
            (Self::Inner { field, untouched, leads_to }, ResolvedValue::Table(table)) if table.node == class => {
                match table.fields.iter().find(|given| given.node == *field) {
                    Some(given) => leads_to.found(*field, &given.resolved),
                    None => Some(Found::Known(untouched)),
                }
            }
            _ => None,
        }
    }
}

/// A table in which these fields are given as empty tables of these classes, each in the one before it.
fn with_empty(node: Node, fields: &[(Node, Node)]) -> ResolvedTable {
    let mut table = ResolvedTable::new(node);
    if let [(field, class), below @ ..] = fields {
        let inner = ResolvedValue::from(with_empty(*class, below));
        table.fields.push(Field { node: *field, resolved: inner.into(), is_set: true });
    }
    table
}

impl<T: Value> Candidate<T> {
    /// The candidate for a key; `None` if the key can't exist. `empty` reads a table of the class without given keys.
    fn find(path: &'static &'static str, empty: &Reader<'_>) -> Option<Self> {
        let field = first_field(path, empty)?;
        let rest = &path[first_key(path).len()..];
        let in_item = rest.contains('[');
        let untouched = empty.get(path, in_item);
        // A key that has a value exists. If a required table is missing, no key below it has a value, so the schema is asked.
        let has_value = untouched.as_ref().is_some_and(|value| !matches!(value.value, ResolvedValue::Invalid));
        (in_item || has_value || may_exist(path, empty)).then(|| Self {
            path,
            in_item,
            rest,
            field,
            untouched: untouched.map(|resolved| own(&resolved, empty, path)),
            leads_to: NodeCache::new(),
        })
    }

    /// What a table has for the key if the key's first field is given.
    fn found_in<'r>(&'r self, given: &'r Field, reader: &Reader<'r>) -> Option<Found<'r, T>> {
        let known = match &given.resolved.value {
            _ if self.rest.is_empty() => Some(Found::Value(&given.resolved)),
            ResolvedValue::Table(table) => {
                let point = reader.view.schema().point;
                let find = || LeadsTo::find(self.path, self.rest, &[(self.field, table.node)], reader);
                self.leads_to.of(table.node, point, find).found(table.node, &given.resolved)
            }
            _ => None,
        };
        known.or_else(|| match reader.get(self.path, self.in_item)? {
            Cow::Borrowed(resolved) => Some(Found::Value(resolved)),
            Cow::Owned(resolved) => Some(Found::Made(Box::new(resolved))),
        })
    }
}

/// The field with which a key begins in tables of a class.
fn first_field(path: &str, class: &Reader<'_>) -> Option<Node> {
    let (node, point) = (class.view.table().node, class.view.schema().point);
    node.field(first_key(path)).filter(|field| field.at(point).is_some())
}

/// Whether a key may have a value in tables of a class, for some choice of variants and free keys.
pub(crate) fn may_exist(path: &str, class: &Reader<'_>) -> bool {
    let rest = path[first_key(path).len()..].split('.').skip(1);
    first_field(path, class).is_some_and(|field| may_lead(field, rest, class.view.schema().point))
}

/// Whether these keys may lead to a value from a node.
fn may_lead<'k>(node: Node, mut keys: impl Iterator<Item = &'k str> + Clone, point: Point) -> bool {
    let Some(interval) = node.at(point) else { return false };
    let all = keys.clone();
    let Some(key) = keys.next() else { return true };
    let below = || node.field(key).is_some_and(|field| may_lead(field, keys.clone(), point));
    match interval.field_type().kind() {
        TypeKind::Table(Policy::Allow) => true,
        TypeKind::Table(_) => below(),
        TypeKind::Union => below() || node.variants(point).chain(node.classes()).any(|table| may_lead(table, all.clone(), point)),
        _ => true,
    }
}
