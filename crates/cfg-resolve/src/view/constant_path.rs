//! Where the paths in prime-rl's checks lead. These paths are constants, so the fields on them are looked up by name once for each class, not for
//! each config.

use std::{
    cell::{OnceCell, RefCell},
    hash::{Hash, Hasher},
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
pub(crate) struct KnownPaths(RefCell<FxHashMap<LookupKey, Box<[Step]>>>);

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
            let (inner, rest) = known.with_steps(class, path, point, |steps| walk_to_owner(steps, table, point))?;
            match rest {
                Rest::Field(field) => return Some((inner, field)),
                Rest::Path(rest) => (table, path) = (inner, rest),
            }
        }
    }
}

/// A path that is not a constant.
#[derive(Clone, Copy)]
pub(crate) struct Composed<'p>(pub(crate) &'p str);

impl KeyPath for Composed<'_> {
    fn text(&self) -> &str {
        self.0
    }

    fn lookup<'t>(self, table: &'t ResolvedTable, point: Point, _: &KnownPaths) -> Option<&'t Resolved> {
        get(table, self.0, point)
    }

    fn owner_mut<'t>(self, table: &'t mut ResolvedTable, point: Point, _: &KnownPaths) -> Option<(&'t mut ResolvedTable, Node)> {
        let (tables, last) = last_key(self.0);
        let table = keys(tables).try_fold(table, |table, key| {
            let field = table.node.field(key)?;
            table_of(given_or_default(table, field, point)?)
        })?;
        let field = table.node.field(last)?;
        Some((table, field))
    }
}

impl KeyPath for &String {
    fn text(&self) -> &str {
        self
    }

    fn lookup<'t>(self, table: &'t ResolvedTable, point: Point, known: &KnownPaths) -> Option<&'t Resolved> {
        Composed(self).lookup(table, point, known)
    }

    fn owner_mut<'t>(
        self,
        table: &'t mut ResolvedTable,
        point: Point,
        known: &KnownPaths,
    ) -> Option<(&'t mut ResolvedTable, Node)> {
        Composed(self).owner_mut(table, point, known)
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
struct Step {
    /// The class that the table of this key is expected to have.
    class: Node,
    /// Its field of this name; `None` if it has none at any point.
    field: Option<Node>,
    /// The path from this key on.
    path: &'static str,
    /// The value at the whole path, if there is one, where this field is not given; looked up when it is first asked for.
    default: OnceCell<Option<&'static Resolved>>,
}

impl Step {
    /// Each key of a path, if its tables have the classes that their fields declare.
    fn all(class: Node, path: &'static str) -> Box<[Self]> {
        let mut steps = Vec::new();
        let (mut class, mut rest) = (class, Some(path));
        while let Some(path) = rest {
            let (key, below) = first_key(path);
            let field = class.field(key);
            steps.push(Self { class, field, path, default: OnceCell::new() });
            let Some(field) = field else { break };
            (class, rest) = (field, below);
        }
        steps.into()
    }
}

impl KnownPaths {
    /// What `read` makes of the steps of a path from a class. It must not look up other constant paths.
    fn with_steps<T>(&self, class: Node, path: &'static str, point: Point, read: impl FnOnce(&[Step]) -> T) -> T {
        let lookup_key = LookupKey { class, point, path: path.as_ptr(), length: path.len() };
        if let Some(steps) = self.0.borrow().get(&lookup_key) {
            return read(steps);
        }
        read(self.0.borrow_mut().entry(lookup_key).or_insert_with(|| Step::all(class, path)))
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
        match known.with_steps(table.node, path, point, |steps| follow(steps, table, point)) {
            End::At(found) => return found,
            End::OtherClass(inner, rest) => (table, path) = (inner, rest),
        }
    }
}

fn follow<'t>(steps: &[Step], mut table: &'t ResolvedTable, point: Point) -> End<'t> {
    for (number, step) in steps.iter().enumerate() {
        if table.node != step.class {
            return End::OtherClass(table, step.path);
        }
        let Some(field) = step.field else { return End::At(None) };
        let Some(given) = table.fields.iter().find(|given| given.node == field) else {
            let default = step.default.get_or_init(|| default_at(field, first_key(step.path).1, point));
            return End::At(*default);
        };
        match &given.resolved.value {
            _ if number + 1 == steps.len() => return End::At(Some(&given.resolved)),
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

fn walk_to_owner<'t>(steps: &[Step], mut table: &'t mut ResolvedTable, point: Point) -> Option<(&'t mut ResolvedTable, Rest)> {
    let (last, tables) = steps.split_last()?;
    for step in tables {
        if table.node != step.class {
            return Some((table, Rest::Path(step.path)));
        }
        table = table_of(given_or_default(table, step.field?, point)?)?;
    }
    let rest = if table.node == last.class { Rest::Field(last.field?) } else { Rest::Path(last.path) };
    Some((table, rest))
}

fn table_of(resolved: &mut Resolved) -> Option<&mut ResolvedTable> {
    if let ResolvedValue::Table(below) = &mut resolved.value { Some(below) } else { None }
}
