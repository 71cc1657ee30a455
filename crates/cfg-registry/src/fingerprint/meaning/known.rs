//! What the history says of a field, looked up once for all texts: a registry has thousands of them, nearly all with the same fields.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use cfg_schema::{History, Interval, Kind, Node, Point, Schema, TypeKind, find_fields};

use super::{Class, KeyPlace, Origins, Usual, class_of, origins};

/// The maximum number of fields that a thread remembers.
const MAX_KNOWN: usize = 1 << 15;

/// A field at a path of a kind of config.
pub(super) struct Known {
    /// Its class; `None` if prime-rl copies the value elsewhere.
    pub(super) class: Option<Class>,
    /// The oldest name of its key.
    pub(super) since: Origins,
    /// The first default of its key.
    pub(super) usual: Usual,
}

/// Fields with the paths at which they are: tables with equal fields are shared.
type AtPaths = Vec<(Box<str>, Rc<Known>)>;

thread_local! {
    static FIELDS: RefCell<HashMap<(Kind, Point, u32), AtPaths>> = RefCell::default();
}

/// What the history says of a field at a path, which is dotted and without indices.
pub(super) fn of(schema: Schema, field: Node, interval: Interval, path: &str) -> Rc<Known> {
    if field.history() != History::built_in() {
        return Rc::new(looked_up(schema, field, interval, path));
    }
    FIELDS.with_borrow_mut(|fields| {
        if fields.len() > MAX_KNOWN {
            fields.clear();
        }
        let at = fields.entry((schema.kind, schema.point, field.id())).or_default();
        if let Some((_, known)) = at.iter().find(|(known, _)| **known == *path) {
            return Rc::clone(known);
        }
        let known = Rc::new(looked_up(schema, field, interval, path));
        at.push((path.into(), Rc::clone(&known)));
        known
    })
}

fn looked_up(schema: Schema, field: Node, interval: Interval, path: &str) -> Known {
    let place = KeyPlace::new(schema.kind, path);
    let since = origins(&place, schema.point);
    let first = if since.place == place {
        field.intervals().next()
    } else {
        let found = find_fields(History::built_in(), since.place.kind, &since.place.path);
        found.iter().filter_map(|found| found.node.intervals().next()).min_by_key(|interval| interval.since())
    };
    let first = first.unwrap_or(interval);
    let was_one_kind = matches!(first.field_type().kind(), TypeKind::Table(_)) && first.field_type().discriminator().is_none();
    let usual = Usual { heir: interval.default_variant().filter(|_| was_one_kind), ..Usual::of(first) };
    Known { class: class_of(schema.kind, path), since, usual }
}
