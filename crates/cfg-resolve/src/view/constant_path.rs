//! Where the paths in prime-rl's checks lead. These paths are constants, so the fields on them are looked up by name once for each class, not for
//! each config.

use std::{ops::Deref, sync::OnceLock};

use cfg_schema::{CacheMap, Node, Point};

use super::{default_at, first_key, get, given_or_default, keys, last_key};
use crate::{Resolved, ResolvedTable, ResolvedValue};

/// A dotted path in a check.
pub(crate) trait KeyPath: Copy {
    /// Its text.
    fn text(&self) -> &str;

    /// As [`get`](super::get).
    fn lookup(self, table: &ResolvedTable, point: Point) -> Option<&Resolved>;

    /// The table that the last key is in, and its field of that name. Defaults on the way are created.
    fn owner_mut(self, table: &mut ResolvedTable, point: Point) -> Option<(&mut ResolvedTable, Node)>;
}

impl KeyPath for &'static str {
    fn text(&self) -> &str {
        self
    }

    fn lookup(self, table: &ResolvedTable, point: Point) -> Option<&Resolved> {
        get_constant(table, self, point)
    }

    fn owner_mut(self, table: &mut ResolvedTable, point: Point) -> Option<(&mut ResolvedTable, Node)> {
        let (mut table, mut path) = (table, self);
        loop {
            let (inner, rest) = walk_to_owner(path_keys(table.node, path, point), table, point)?;
            match rest {
                Rest::Field(field) => return Some((inner, field)),
                Rest::Path(rest) => (table, path) = (inner, rest),
            }
        }
    }
}

/// A path that is not a constant.
impl<T: Deref<Target = str>> KeyPath for &T {
    fn text(&self) -> &str {
        self
    }

    fn lookup(self, table: &ResolvedTable, point: Point) -> Option<&Resolved> {
        get(table, self, point)
    }

    fn owner_mut(self, table: &mut ResolvedTable, point: Point) -> Option<(&mut ResolvedTable, Node)> {
        let (tables, last) = last_key(self);
        let table = keys(tables).try_fold(table, |table, key| {
            let field = table.node.field(key)?;
            table_of(given_or_default(table, field, point)?)
        })?;
        let field = table.node.field(last)?;
        Some((table, field))
    }
}

/// A path from a class. Paths are compared by their address, because they live as long as the process.
#[derive(Clone, Copy, PartialEq, Eq)]
struct LookupKey {
    address: usize,
    length: usize,
    class: Node,
    point: Point,
}

/// The keys of a path from a class.
fn path_keys(class: Node, path: &'static str, point: Point) -> &'static [PathKey] {
    static KNOWN: CacheMap<LookupKey, Box<[PathKey]>, 4096> = CacheMap::new();
    let key = LookupKey { address: path.as_ptr().addr(), length: path.len(), class, point };
    let number = key.address as u64 ^ u64::from(class.id()) << 40 ^ u64::from(point.0) << 24;
    KNOWN.of(key, number, || PathKey::all(class, path))
}

/// A key of a path.
struct PathKey {
    /// The class that the table of this key is expected to have.
    class: Node,
    /// Its field of this name; `None` if it has none at any point.
    field: Option<Node>,
    /// The path from this key on.
    path: &'static str,
    /// The value at the whole path, if there is one, where this field is not given; looked up when it is first asked for.
    default: OnceLock<Option<&'static Resolved>>,
}

impl PathKey {
    /// Each key of a path, if its tables have the classes that their fields declare.
    fn all(class: Node, path: &'static str) -> Box<[Self]> {
        let mut keys = Vec::with_capacity(1 + path.bytes().filter(|byte| *byte == b'.').count());
        let (mut class, mut rest) = (class, Some(path));
        while let Some(path) = rest {
            let (key, below) = first_key(path);
            let field = class.field(key);
            keys.push(Self { class, field, path, default: OnceLock::new() });
            let Some(field) = field else { break };
            (class, rest) = (field, below);
        }
        keys.into()
    }
}

/// Where a path leads.
enum End<'t> {
    /// To this value, or to none.
    At(Option<&'t Resolved>),
    /// To a table that has another class than its field declares, with the rest of the path.
    OtherClass(&'t ResolvedTable, &'static str),
}

/// As [`get`], for a constant.
fn get_constant<'t>(mut table: &'t ResolvedTable, mut path: &'static str, point: Point) -> Option<&'t Resolved> {
    loop {
        match follow(path_keys(table.node, path, point), table, point) {
            End::At(found) => return found,
            End::OtherClass(inner, rest) => (table, path) = (inner, rest),
        }
    }
}

fn follow<'t>(keys: &[PathKey], mut table: &'t ResolvedTable, point: Point) -> End<'t> {
    for (number, key) in keys.iter().enumerate() {
        if table.node != key.class {
            return End::OtherClass(table, key.path);
        }
        let Some(field) = key.field else { return End::At(None) };
        let Some(given) = table.fields.find(field) else {
            let default = key.default.get_or_init(|| default_at(field, first_key(key.path).1, point));
            return End::At(*default);
        };
        match &given.resolved.value {
            _ if number + 1 == keys.len() => return End::At(Some(&given.resolved)),
            ResolvedValue::Table(inner) => table = inner,
            ResolvedValue::Invalid => return End::At(Some(&given.resolved)),
            _ => return End::At(None),
        }
    }
    End::At(None)
}

/// What remains of a path at a table.
enum Rest {
    /// The field of its last key.
    Field(Node),
    /// Several keys, because the table has another class than its field declares.
    Path(&'static str),
}

fn walk_to_owner<'t>(keys: &[PathKey], mut table: &'t mut ResolvedTable, point: Point) -> Option<(&'t mut ResolvedTable, Rest)> {
    let (last, tables) = keys.split_last()?;
    for key in tables {
        if table.node != key.class {
            return Some((table, Rest::Path(key.path)));
        }
        table = table_of(given_or_default(table, key.field?, point)?)?;
    }
    let rest = if table.node == last.class { Rest::Field(last.field?) } else { Rest::Path(last.path) };
    Some((table, rest))
}

fn table_of(resolved: &mut Resolved) -> Option<&mut ResolvedTable> {
    if let ResolvedValue::Table(below) = &mut resolved.value { Some(below) } else { None }
}
