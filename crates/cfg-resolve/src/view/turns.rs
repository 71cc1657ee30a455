//! Where the paths in prime-rl's checks lead. These paths are constants, so the fields on them are looked up by name once for each class, not for
//! each config.

use std::{
    cell::RefCell,
    hash::{Hash, Hasher},
};

use cfg_schema::{Node, Point};
use rustc_hash::FxHashMap;

use super::{default_at, first_key, get};
use crate::{Resolved, ResolvedTable, ResolvedValue};

thread_local! {
    static TURNS: RefCell<FxHashMap<Place, Turn>> = RefCell::default();
}

/// A dotted path in a check.
pub(crate) trait KeyPath: Copy {
    /// Its text.
    fn text(&self) -> &str;

    /// As [`get`](super::get).
    fn lookup(self, table: &ResolvedTable, point: Point) -> Option<&Resolved>;
}

impl KeyPath for &'static str {
    fn text(&self) -> &str {
        self
    }

    fn lookup(self, table: &ResolvedTable, point: Point) -> Option<&Resolved> {
        get_constant(table, self, point)
    }
}

/// A path that a check composes.
impl KeyPath for &String {
    fn text(&self) -> &str {
        self
    }

    fn lookup(self, table: &ResolvedTable, point: Point) -> Option<&Resolved> {
        get(table, self, point)
    }
}

/// The beginning of a path at a class. Paths are compared by their address, because they live as long as the process.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    class: Node,
    point: Point,
    path: *const u8,
    length: usize,
}

impl Hash for Place {
    /// Paths differ by their address, and nearly all others by their class.
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.path.addr() as u64 ^ u64::from(self.class.id()) << 40);
    }
}

/// Where the first key of a path leads.
#[derive(Clone, Copy)]
struct Turn {
    /// Its field; `None` if the class has none of this name at any point.
    field: Option<Node>,
    /// The rest of the path, below that field.
    rest: Option<&'static str>,
    /// The value at the whole path if the field is not given.
    default: Option<&'static Resolved>,
}

/// As [`get`], for a constant.
fn get_constant<'t>(mut table: &'t ResolvedTable, mut path: &'static str, point: Point) -> Option<&'t Resolved> {
    loop {
        let Turn { field, rest, default } = turn(table.node, path, point);
        let field = field?;
        let Some(given) = table.fields.iter().find(|given| given.node == field) else { return default };
        let Some(below) = rest else { return Some(&given.resolved) };
        match &given.resolved.value {
            ResolvedValue::Table(inner) => (table, path) = (inner, below),
            ResolvedValue::Invalid => return Some(&given.resolved),
            _ => return None,
        }
    }
}

fn turn(class: Node, path: &'static str, point: Point) -> Turn {
    let place = Place { class, point, path: path.as_ptr(), length: path.len() };
    if let Some(known) = TURNS.with_borrow(|turns| turns.get(&place).copied()) {
        return known;
    }
    // A default may be the result of checks, so that this may be called again before it returns.
    let (key, rest) = first_key(path);
    let field = class.field(key);
    let turn = Turn { field, rest, default: field.and_then(|field| default_at(field, rest, point)) };
    TURNS.with_borrow_mut(|turns| turns.insert(place, turn));
    turn
}
