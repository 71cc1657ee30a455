//! Where the paths in prime-rl's checks lead. These paths are constants, so the fields on them are looked up by name once for each class, not for
//! each config.

use std::{
    cell::{Cell, RefCell},
    hash::{Hash, Hasher},
    rc::Rc,
};

use cfg_schema::{Node, Point};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::{default_at, first_key, get, given_or_default, keys, last_key};
use crate::{Resolved, ResolvedTable, ResolvedValue};

thread_local! {
    static KNOWN: RefCell<FxHashMap<LookupKey, Rc<[Step]>>> = const { RefCell::new(FxHashMap::with_hasher(FxBuildHasher)) };
}

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
            let steps = steps(table.node, path, point);
            let (inner, rest) = walk_to_owner(&steps, table, point)?;
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

    fn lookup(self, table: &ResolvedTable, point: Point) -> Option<&Resolved> {
        get(table, self.0, point)
    }

    fn owner_mut(self, table: &mut ResolvedTable, point: Point) -> Option<(&mut ResolvedTable, Node)> {
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

    fn lookup(self, table: &ResolvedTable, point: Point) -> Option<&Resolved> {
        Composed(self).lookup(table, point)
    }

    fn owner_mut(self, table: &mut ResolvedTable, point: Point) -> Option<(&mut ResolvedTable, Node)> {
        Composed(self).owner_mut(table, point)
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
    /// The value at the whole path if this field is not given; `None` until it is asked for, or if there is none.
    default: Cell<Option<&'static Resolved>>,
}

/// Each key of a path, if its tables have the classes that their fields declare.
fn steps(class: Node, path: &'static str, point: Point) -> Rc<[Step]> {
    let lookup_key = LookupKey { class, point, path: path.as_ptr(), length: path.len() };
    if let Some(known) = KNOWN.with_borrow(|known| known.get(&lookup_key).map(Rc::clone)) {
        return known;
    }
    let mut steps = Vec::new();
    let (mut class, mut rest) = (class, Some(path));
    while let Some(path) = rest {
        let (key, below) = first_key(path);
        let field = class.field(key);
        steps.push(Step { class, field, path, default: Cell::new(None) });
        let Some(field) = field else { break };
        (class, rest) = (field, below);
    }
    let steps: Rc<[Step]> = steps.into();
    KNOWN.with_borrow_mut(|known| known.insert(lookup_key, Rc::clone(&steps)));
    steps
}

/// As [`get`], for a constant.
fn get_constant<'t>(mut table: &'t ResolvedTable, mut path: &'static str, point: Point) -> Option<&'t Resolved> {
    'other_class: loop {
        let steps = steps(table.node, path, point);
        for (number, step) in steps.iter().enumerate() {
            if table.node != step.class {
                path = step.path;
                continue 'other_class;
            }
            let field = step.field?;
            let Some(given) = table.fields.iter().find(|given| given.node == field) else {
                if step.default.get().is_none() {
                    step.default.set(default_at(field, first_key(step.path).1, point));
                }
                return step.default.get();
            };
            match &given.resolved.value {
                _ if number + 1 == steps.len() => return Some(&given.resolved),
                ResolvedValue::Table(inner) => table = inner,
                ResolvedValue::Invalid => return Some(&given.resolved),
                _ => return None,
            }
        }
        return None;
    }
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
