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
    static FIRST_FIELDS: RefCell<FxHashMap<LookupKey, FirstField>> = RefCell::default();
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
struct LookupKey {
    class: Node,
    point: Point,
    path: *const u8,
    length: usize,
}

impl Hash for LookupKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.path.addr() as u64 ^ u64::from(self.class.id()) << 40);
        self.point.hash(state);
    }
}

/// Where the first key of a path leads.
#[derive(Clone, Copy)]
struct FirstField {
    /// Its field; `None` if the class has none of this name at any point.
    field: Option<Node>,
    /// The rest of the path, below that field.
    rest: Option<&'static str>,
    /// The value at the whole path if the field is not given; `None` until it is asked for, or if there is none.
    default: Option<&'static Resolved>,
}

/// As [`get`], for a constant.
fn get_constant<'t>(mut table: &'t ResolvedTable, mut path: &'static str, point: Point) -> Option<&'t Resolved> {
    loop {
        let lookup_key = LookupKey { class: table.node, point, path: path.as_ptr(), length: path.len() };
        let first = first_field(lookup_key, path);
        let field = first.field?;
        let Some(given) = table.fields.iter().find(|given| given.node == field) else {
            return first.default.or_else(|| default(lookup_key, field, first.rest));
        };
        let Some(below) = first.rest else { return Some(&given.resolved) };
        match &given.resolved.value {
            ResolvedValue::Table(inner) => (table, path) = (inner, below),
            ResolvedValue::Invalid => return Some(&given.resolved),
            _ => return None,
        }
    }
}

fn first_field(lookup_key: LookupKey, path: &'static str) -> FirstField {
    if let Some(known) = FIRST_FIELDS.with_borrow(|known| known.get(&lookup_key).copied()) {
        return known;
    }
    let (key, rest) = first_key(path);
    let first = FirstField { field: lookup_key.class.field(key), rest, default: None };
    FIRST_FIELDS.with_borrow_mut(|known| known.insert(lookup_key, first));
    first
}

/// The value at a path whose first field is not given.
fn default(lookup_key: LookupKey, field: Node, rest: Option<&'static str>) -> Option<&'static Resolved> {
    // A default may be the result of checks, which read other paths.
    let default = default_at(field, rest, lookup_key.point);
    FIRST_FIELDS.with_borrow_mut(|known| {
        if let Some(first) = known.get_mut(&lookup_key) {
            first.default = default;
        }
    });
    default
}
