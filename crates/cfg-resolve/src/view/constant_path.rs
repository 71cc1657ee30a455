//! Where the paths in prime-rl's checks lead. These paths are constants, so the fields on them are looked up by name once for each class, not for
//! each config.

use std::{
    cell::{OnceCell, RefCell},
    hash::{Hash, Hasher},
    ops::Deref,
    rc::Rc,
};

use cfg_schema::{Node, Point};
use rustc_hash::FxHashMap;

use super::{default_at, first_key, get, given_or_default, keys, last_key};
use crate::{Resolved, ResolvedTable, ResolvedValue};

thread_local! {
    static KNOWN: Rc<KnownPaths> = Rc::default();
}

/// The constant paths whose fields this thread has looked up.
#[derive(Default)]
pub(crate) struct KnownPaths(RefCell<FxHashMap<LookupKey, Box<[PathKey]>>>);

impl KnownPaths {
    /// Those of this thread.
    pub(crate) fn of_thread() -> Rc<Self> {
        KNOWN.with(Rc::clone)
    }
}

/// A dotted path in a check.
pub(crate) trait KeyPath: Copy {
    /// Its text.
    fn text(&self) -> &str;

    /// As [`get`](super::get).
    fn lookup<'t>(self, table: &'t ResolvedTable, point: Point, known: &KnownPaths) -> Option<&'t Resolved>;

    /// The table that the last key is in, and its field of that name. Defaults on the way are created.
    fn owner_mut<'t>(
        self,
        table: &'t mut ResolvedTable,
        point: Point,
        known: &KnownPaths,
    ) -> Option<(&'t mut ResolvedTable, Node)>;
}

impl KeyPath for &'static str {
    fn text(&self) -> &str {
        self
    }

    fn lookup<'t>(self, table: &'t ResolvedTable, point: Point, known: &KnownPaths) -> Option<&'t Resolved> {
        get_constant(table, self, point, known)
    }

    fn owner_mut<'t>(
        self,
        table: &'t mut ResolvedTable,
        point: Point,
        known: &KnownPaths,
    ) -> Option<(&'t mut ResolvedTable, Node)> {
        let (mut table, mut path) = (table, self);
        loop {
            let class = table.node;
            let (inner, rest) = known.with_keys(class, path, point, |keys| walk_to_owner(keys, table, point))?;
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

    fn lookup<'t>(self, table: &'t ResolvedTable, point: Point, _: &KnownPaths) -> Option<&'t Resolved> {
        get(table, self, point)
    }

    fn owner_mut<'t>(self, table: &'t mut ResolvedTable, point: Point, _: &KnownPaths) -> Option<(&'t mut ResolvedTable, Node)> {
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
    class: Node,
    point: Point,
    path: *const u8,
    length: usize,
}

impl Hash for LookupKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.path.addr() as u64 ^ u64::from(self.class.id()) << 40 ^ u64::from(self.point.0) << 24);
    }
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
    default: OnceCell<Option<&'static Resolved>>,
}

impl PathKey {
    /// Each key of a path, if its tables have the classes that their fields declare.
    fn all(class: Node, path: &'static str) -> Box<[Self]> {
        let mut keys = Vec::new();
        let (mut class, mut rest) = (class, Some(path));
        while let Some(path) = rest {
            let (key, below) = first_key(path);
            let field = class.field(key);
            keys.push(Self { class, field, path, default: OnceCell::new() });
            let Some(field) = field else { break };
            (class, rest) = (field, below);
        }
        keys.into()
    }
}

impl KnownPaths {
    /// What `read` makes of the keys of a path from a class. It must not look up other constant paths.
    fn with_keys<T>(&self, class: Node, path: &'static str, point: Point, read: impl FnOnce(&[PathKey]) -> T) -> T {
        let lookup_key = LookupKey { class, point, path: path.as_ptr(), length: path.len() };
        if let Some(keys) = self.0.borrow().get(&lookup_key) {
            return read(keys);
        }
        read(self.0.borrow_mut().entry(lookup_key).or_insert_with(|| PathKey::all(class, path)))
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
fn get_constant<'t>(
    mut table: &'t ResolvedTable,
    mut path: &'static str,
    point: Point,
    known: &KnownPaths,
) -> Option<&'t Resolved> {
    loop {
        match known.with_keys(table.node, path, point, |keys| follow(keys, table, point)) {
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
        let Some(given) = table.fields.iter().find(|given| given.node == field) else {
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
