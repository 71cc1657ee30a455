//! A table as a check sees it: values by dotted path, defaults for values that are not given, and assignments.

mod held;
mod own;
mod tables;

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    sync::Arc,
};

use cfg_compose::Origin;
use cfg_schema::{Node, OpenPart, Point, Schema, TypeKind, ValueSegment};

use self::held::Held;
use super::{
    replaced::{self, Replaced},
    words,
};
use crate::{
    Field, Resolved, ResolvedTable, ResolvedValue, coerce,
    view::{self, KeyPath},
    walk,
};

/// A view of the table whose validators run, for a single check.
pub(crate) struct ValidatorCtx<'a> {
    /// The point of the check.
    pub(crate) point: Point,
    /// The schema of the whole file.
    pub(crate) schema: Schema,
    table: Held<'a>,
    /// The name of the running check, which is the origin of assigned values.
    name: &'static str,
    /// The origin of the value from which the next assigned value is made.
    source: Origin,
    state: &'a RunState,
    /// Records the values that assignments replace; `None` if these are not needed.
    replaced: Option<&'a Replaced>,
}

/// What is recorded while a table's checks run.
pub(crate) struct RunState {
    /// Whether the check has read a value that is unknown here: an invalid one, or a missing required one.
    pub(crate) reads_invalid: Cell<bool>,
    /// Whether a check has assigned anything.
    pub(crate) assigns: Cell<bool>,
    /// What the declarations of the project's own prime-rl leave open.
    pub(crate) open: Option<Arc<[OpenPart]>>,
    /// The first of these parts from which the check has read.
    pub(crate) read_open: Cell<Option<u32>>,
    /// The pairs of paths to which checks that are run from their source have put the same object.
    pub(crate) shared: RefCell<Vec<(Vec<ValueSegment>, Vec<ValueSegment>)>>,
}

impl RunState {
    /// Nothing is recorded yet. `open` is what the declarations of the project's own prime-rl leave open.
    pub(crate) fn new(open: Option<Arc<[OpenPart]>>) -> Self {
        Self {
            reads_invalid: Cell::new(false),
            assigns: Cell::new(false),
            open,
            read_open: Cell::new(None),
            shared: RefCell::default(),
        }
    }

    /// Whether the declarations leave open what is at this node.
    pub(crate) fn is_open(&self, node: Node) -> bool {
        self.open.as_ref().is_some_and(|open| open.binary_search_by_key(&node.id(), |part| part.node).is_ok())
    }
}

impl<'a> ValidatorCtx<'a> {
    pub(crate) fn new(
        schema: Schema,
        table: &'a mut ResolvedTable,
        name: &'static str,
        state: &'a RunState,
        replaced: Option<&'a Replaced>,
    ) -> Self {
        Self { point: schema.point, schema, table: Held::Own(table), name, source: Origin::Default, state, replaced }
    }

    /// For a check whose assignments no one else may see.
    pub(crate) fn of_copy(schema: Schema, table: &'a ResolvedTable, name: &'static str, state: &'a RunState) -> Self {
        let table = Held::Copied(Cow::Borrowed(table));
        Self { point: schema.point, schema, table, name, source: Origin::Default, state, replaced: None }
    }

    /// The table at a path, as the checks of that table see it; `None` if the path is null or absent. A table that exists only as a default is
    /// created first, without counting as set.
    pub(crate) fn below(&mut self, path: impl KeyPath) -> Option<ValidatorCtx<'_>> {
        let (schema, name, state) = (self.schema, self.name, self.state);
        self.get(path);
        let ResolvedValue::Table(table) = &mut self.materialize(path)?.value else { return None };
        Some(ValidatorCtx::new(schema, table, name, state, None))
    }

    /// The tables of an array, or the values of a map, at a path.
    pub(crate) fn each(&mut self, path: &'static str) -> Vec<ValidatorCtx<'_>> {
        let (schema, name, state) = (self.schema, self.name, self.state);
        self.get(path);
        let Some(node) = self.materialize(path) else { return Vec::new() };
        let values: Vec<&mut Resolved> = match &mut node.value {
            ResolvedValue::List(items) => items.iter_mut().collect(),
            ResolvedValue::Map(entries) => entries.iter_mut().map(|(_, entry)| entry).collect(),
            _ => Vec::new(),
        };
        values
            .into_iter()
            .filter_map(|resolved| match &mut resolved.value {
                ResolvedValue::Table(table) => Some(ValidatorCtx::new(schema, table, name, state, None)),
                other => {
                    state.reads_invalid.set(state.reads_invalid.get() || matches!(other, ResolvedValue::Invalid));
                    None
                }
            })
            .collect()
    }

    /// The value at a path; `None` if the path does not exist at this point, or leads through null.
    pub(crate) fn get(&self, path: impl KeyPath) -> Option<&Resolved> {
        if self.state.open.is_some() {
            self.doubt_open(path.text());
        }
        let found = path.lookup(&self.table, self.point);
        if matches!(found, Some(Resolved { value: ResolvedValue::Invalid, .. })) {
            self.state.reads_invalid.set(true);
        }
        found
    }

    /// Marks what a declaration leaves open as unknown: fields of an open type, and the keys of an open table that are not among the known ones.
    fn doubt_open(&self, path: &str) {
        let mut table = Some(&*self.table);
        let mut below = path;
        while let Some(owner) = table {
            let (key, rest) = below.split_once('.').unwrap_or((below, ""));
            let field = owner.node.field(key).and_then(|field| Some((field, field.at(self.point)?)));
            let open = match field {
                None => Some(owner.node).filter(|node| self.state.is_open(*node)),
                Some((field, interval)) => {
                    Some(field).filter(|field| interval.field_type().kind() == TypeKind::Any && self.state.is_open(*field))
                }
            };
            if let Some(open) = open {
                self.state.reads_invalid.set(true);
                self.state.read_open.set(self.state.read_open.get().or(Some(open.id())));
                return;
            }
            table = if rest.is_empty() { None } else { view::get_table(owner, key, self.point) };
            below = rest;
        }
    }

    /// Marks the table at a path as unknown if it contains an error.
    pub(crate) fn doubt_faulty(&self, path: &str) {
        if view::get_table(&self.table, path, self.point).is_some_and(|table| !table.is_valid) {
            self.state.reads_invalid.set(true);
        }
    }

    /// Whether the path exists at this point, whatever its value.
    pub(crate) fn exists(&self, path: impl KeyPath) -> bool {
        if self.state.open.is_some() {
            self.doubt_open(path.text());
        }
        path.lookup(&self.table, self.point).is_some()
    }

    /// Whether there is a value other than null.
    pub(crate) fn has(&self, path: impl KeyPath) -> bool {
        self.get(path).is_some_and(|resolved| !matches!(resolved.value, ResolvedValue::Null))
    }

    /// Whether prime-rl counts the field as set: given, or assigned by a validator.
    pub(crate) fn is_set(&self, path: impl KeyPath) -> bool {
        self.get(path);
        view::is_set(&self.table, path.text())
    }

    /// An integer. Those beyond 128 bits become the largest one.
    pub(crate) fn int(&self, path: impl KeyPath) -> Option<i128> {
        self.get(path)?.value.as_wide()
    }

    /// A number.
    pub(crate) fn float(&self, path: &'static str) -> Option<f64> {
        self.get(path)?.value.as_float()
    }

    /// A boolean; false if there is none.
    pub(crate) fn bool(&self, path: &'static str) -> bool {
        self.get(path).is_some_and(|resolved| matches!(resolved.value, ResolvedValue::Bool(true)))
    }

    /// A string.
    pub(crate) fn str(&self, path: impl KeyPath) -> Option<&str> {
        self.get(path)?.value.as_str()
    }

    /// Whether a string equals this one.
    pub(crate) fn is(&self, path: &'static str, text: &str) -> bool {
        self.str(path).is_some_and(|value| value == text)
    }

    /// The number of items of an array or a map.
    pub(crate) fn len(&self, path: &'static str) -> Option<usize> {
        self.get(path)?.value.len()
    }

    /// The keys of a map.
    pub(crate) fn keys(&self, path: &'static str) -> Vec<String> {
        match self.get(path) {
            Some(Resolved { value: ResolvedValue::Map(entries), .. }) => entries.iter().map(|(key, _)| key.to_string()).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether the value counts as true in Python; null and absent values do not.
    pub(crate) fn is_true(&self, path: &'static str) -> bool {
        self.get(path).is_some_and(|resolved| is_true(&resolved.value))
    }

    /// Whether the value of a map's entry counts as true in Python.
    pub(crate) fn entry_is_true(&self, path: &'static str, key: &str) -> bool {
        match self.get(path) {
            Some(Resolved { value: ResolvedValue::Map(entries), .. }) => {
                let entry = entries.iter().find(|(name, _)| &**name == key).map(|(_, entry)| &entry.value);
                self.state.reads_invalid.set(self.state.reads_invalid.get() || matches!(entry, Some(ResolvedValue::Invalid)));
                entry.is_some_and(is_true)
            }
            _ => false,
        }
    }

    /// Whether an extra key, which the table does not know but keeps, counts as true in Python.
    pub(crate) fn extra_is_true(&self, key: &str) -> bool {
        self.table.extra.iter().any(|(name, raw)| &**name == key && is_true(&walk::free(raw.value.clone())))
    }

    /// The integers of an array.
    pub(crate) fn ints(&self, path: &'static str) -> Option<Vec<i128>> {
        let int = |item: &Resolved| item.value.as_wide();
        match &self.get(path)?.value {
            ResolvedValue::List(items) => {
                let is_faulty = items.iter().any(|item| matches!(item.value, ResolvedValue::Invalid));
                self.state.reads_invalid.set(self.state.reads_invalid.get() || is_faulty);
                Some(items.iter().filter_map(int).collect())
            }
            _ => None,
        }
    }

    /// The strings of an array.
    pub(crate) fn strs(&self, path: &'static str) -> Option<Vec<&str>> {
        match &self.get(path)?.value {
            ResolvedValue::List(items) => {
                let is_faulty = items.iter().any(|item| matches!(item.value, ResolvedValue::Invalid));
                self.state.reads_invalid.set(self.state.reads_invalid.get() || is_faulty);
                Some(items.iter().filter_map(|item| item.value.as_str()).collect())
            }
            _ => None,
        }
    }

    /// The tag of a table with several variants.
    pub(crate) fn tag(&self, path: &'static str) -> Option<&'static str> {
        self.get(path)?.value.tag()
    }

    /// The value at a path as text for a message: `2`, `"sdpa"`, `not set`.
    pub(crate) fn show(&self, path: &'static str) -> String {
        self.get(path).map_or_else(|| "not set".to_owned(), |resolved| words::value(&resolved.value))
    }

    /// Sets the path whose value is the origin of the next assigned value.
    pub(crate) fn from(&mut self, path: impl KeyPath) -> &mut Self {
        self.source = self.get(path).map_or(Origin::Default, |resolved| resolved.origin);
        self
    }

    /// The next assigned value, with its origin. It is unknown if it is derived from an unknown value.
    fn assigned(&mut self, value: impl Into<Resolved>) -> Resolved {
        let Resolved { value, origin } = value.into();
        self.state.assigns.set(true);
        let value = if self.state.reads_invalid.get() { ResolvedValue::Invalid } else { value };
        let source = std::mem::replace(&mut self.source, Origin::Default);
        let origin = if origin == Origin::Default { source } else { origin }.through_check(self.name);
        Resolved { value: made_by(value, origin, self.name), origin }
    }

    /// Assigns a value, as Python's `self.a.b = value` does: unchecked. If a table on the way is null or absent, nothing happens.
    pub(crate) fn set(&mut self, path: impl KeyPath, value: impl Into<Resolved>) {
        let (point, resolved) = (self.point, self.assigned(value));
        let Some((table, node)) = path.owner_mut(&mut self.table, point) else { return };
        match table.given_mut(node) {
            Some(field) => {
                let old = std::mem::replace(field, Field { node, resolved, is_set: true });
                if let Some(replaced) = self.replaced {
                    replaced::keep(replaced, path.text(), old.resolved);
                }
            }
            None if node.at(point).is_none() => {}
            None => table.fields.push(Field { node, resolved, is_set: true }),
        }
    }

    /// Assigns an integer.
    pub(crate) fn set_int(&mut self, path: impl KeyPath, value: i128) {
        self.set(path, ResolvedValue::Int(coerce::integer(value)));
    }

    /// Assigns a string.
    pub(crate) fn set_str(&mut self, path: impl KeyPath, value: &str) {
        self.set(path, ResolvedValue::Str(value.into()));
    }

    /// Assigns a boolean.
    pub(crate) fn set_bool(&mut self, path: impl KeyPath, value: bool) {
        self.set(path, ResolvedValue::Bool(value));
    }

    /// Assigns an array of strings.
    pub(crate) fn set_strs(&mut self, path: impl KeyPath, values: &[String]) {
        let item = |text: &String| Resolved { value: ResolvedValue::Str(text.as_str().into()), origin: Origin::Default };
        self.set(path, ResolvedValue::List(values.iter().map(item).collect()));
    }

    /// Assigns null.
    pub(crate) fn set_null(&mut self, path: impl KeyPath) {
        self.set(path, ResolvedValue::Null);
    }

    /// Assigns a table without given keys; `tag` selects the variant, if there are several. Nothing is assigned if the path does not exist at this point.
    pub(crate) fn set_table(&mut self, path: impl KeyPath, tag: Option<&str>) {
        let point = self.point;
        let field = path.owner_mut(&mut self.table, point).map(|(_, field)| field);
        let class = field.filter(|field| field.at(point).is_some());
        match class.and_then(|field| tag.map_or(Some(field), |tag| field.variant(tag))) {
            Some(class) => self.set(path, ResolvedValue::from(ResolvedTable::new(class))),
            None => self.source = Origin::Default,
        }
    }

    /// Copies the value at one path to another.
    pub(crate) fn copy(&mut self, from: impl KeyPath, to: impl KeyPath) {
        // A copy does not make a decision depend on the value, so reading it is not recorded.
        if let Some(value) = from.lookup(&self.table, self.point).cloned() {
            self.set(to, value);
        }
    }

    /// The value at a path, mutable; if it is a default, a copy is created first, which does not count as set.
    fn materialize(&mut self, path: impl KeyPath) -> Option<&mut Resolved> {
        let (table, field) = path.owner_mut(&mut self.table, self.point)?;
        view::given_or_default(table, field, self.point)
    }
}

/// A value with everything in it, as a check has created it: written parts keep their origin, the others get the origin of the whole value.
fn made_by(mut value: ResolvedValue, whole: Origin, name: &'static str) -> ResolvedValue {
    let remake = |part: &mut Resolved| {
        part.origin = if part.origin.place().is_some() { part.origin.through_check(name) } else { whole };
        let inner = std::mem::replace(&mut part.value, ResolvedValue::Null);
        part.value = made_by(inner, whole, name);
    };
    match &mut value {
        ResolvedValue::List(items) => items.iter_mut().for_each(remake),
        ResolvedValue::Map(entries) => entries.iter_mut().map(|(_, entry)| entry).for_each(remake),
        ResolvedValue::Table(table) => table.fields.iter_mut().map(|field| &mut field.resolved).for_each(remake),
        _ => {}
    }
    value
}

/// The value at a path, for a message; `None` if the path does not exist. The path may contain indices: `env[0].id`.
pub(crate) fn end(schema: Schema, table: &ResolvedTable, path: &str) -> Option<Resolved> {
    let mut parts = path.split('[');
    let mut found = view::get(table, parts.next()?, schema.point)?;
    for part in parts {
        let (index, below) = part.split_once(']')?;
        found = found.value.as_list()?.get(index.parse::<usize>().ok()?)?;
        if let (Some(below), ResolvedValue::Table(table)) = (below.strip_prefix('.'), &found.value) {
            found = view::get(table, below, schema.point)?;
        }
    }
    Some(found.clone())
}

/// The truth value of a value in Python.
fn is_true(value: &ResolvedValue) -> bool {
    match value {
        ResolvedValue::Null | ResolvedValue::Invalid => false,
        ResolvedValue::Bool(boolean) => *boolean,
        ResolvedValue::Int(integer) => coerce::wide(integer) != 0,
        ResolvedValue::Float(float) => *float != 0.0,
        ResolvedValue::Str(text) => !text.is_empty(),
        ResolvedValue::List(items) => !items.is_empty(),
        ResolvedValue::Map(entries) => !entries.is_empty(),
        ResolvedValue::Datetime(_) | ResolvedValue::Table(_) => true,
    }
}
