//! What a setting is where it is not given. This depends only on the schema, so it is determined once for each class of table, and only if something
//! asks for it.

use std::{fmt, sync::OnceLock};

use cfg_compose::Origin;
use cfg_resolve::{Resolved, ResolvedTable, ResolvedValue, View, untouched};
use cfg_schema::{Node, Point, Policy, Schema, TypeKind};

use crate::{Fact, Key, Setting, class::Class, fact::State, reader::Reader, value::Value};

/// A key of a setting in a class of table, where it is not given.
pub(crate) struct Place<T: 'static> {
    /// The class of the setting's table.
    class: Class,
    /// The key of the setting there.
    path: &'static &'static str,
    /// The class of the table on the key in which nothing is given.
    node: Node,
    /// The rest of the key in that table.
    rest: &'static str,
    value: OnceLock<Option<&'static Resolved>>,
    state: OnceLock<Box<State<T>>>,
    /// Determines the state, for readers of the plan, which do not know how its values are read.
    find: fn(&Self) -> State<T>,
}

impl<T> Place<T> {
    /// The state of the setting.
    #[inline]
    pub(crate) fn state(&self) -> &State<T> {
        self.state.get_or_init(|| Box::new((self.find)(self)))
    }
}

impl<T: Value> Place<T> {
    pub(crate) const fn new(class: Class, path: &'static &'static str, node: Node, rest: &'static str) -> Self {
        Self { class, path, node, rest, value: OnceLock::new(), state: OnceLock::new(), find: Self::find }
    }

    pub(crate) const fn path(&self) -> &'static &'static str {
        self.path
    }

    pub(crate) const fn class(&self) -> &Class {
        &self.class
    }

    /// The value that the setting has there; `None` if the key does not exist.
    pub(crate) fn value(&self) -> Option<&'static Resolved> {
        *self.value.get_or_init(|| {
            let value = untouched_at(self.node, self.rest, self.class.schema)?;
            // If a required table is missing, no key below it has a value, so the schema is asked.
            let is_known = !matches!(value.value, ResolvedValue::Invalid) || self.node != self.class.node || self.is_in_item();
            (is_known || may_exist(self.path, self.class.node, self.class.point())).then_some(value)
        })
    }

    /// Whether the key can exist, whatever is given.
    pub(crate) fn may_exist(&self) -> bool {
        let has_value = || self.value().is_some_and(|value| !matches!(value.value, ResolvedValue::Invalid));
        self.is_in_item() || has_value() || may_exist(self.path, self.class.node, self.class.point())
    }

    fn is_in_item(&self) -> bool {
        self.rest.contains('[')
    }

    fn find(&self) -> State<T> {
        let Some(value) = self.value() else { return State::Absent };
        let table = ResolvedTable::new(self.node);
        let reader = Reader::new(View::new(self.class.schema, &table), self.class.owner, None);
        state(value, &reader, self.path, || None)
    }

    /// The setting in a table of the class.
    pub(crate) fn setting_in(&'static self, reader: &Reader<'_>) -> Setting<T> {
        if !reader.owner.is_item() {
            return Setting::not_given(self);
        }
        // The key depends on the item.
        self.value().map_or_else(Setting::default, |value| state(value, reader, self.path, || None).into())
    }
}

impl<T> fmt::Debug for Place<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Place").field(&self.path).finish()
    }
}

/// The state of a setting with a value.
pub(crate) fn state<T: Value>(
    resolved: &Resolved,
    reader: &Reader<'_>,
    path: &'static &'static str,
    shared: impl FnOnce() -> Option<&'static Key>,
) -> State<T> {
    let (key, origin) = (Key::new(reader.owner, path), resolved.origin);
    let value = match &resolved.value {
        ResolvedValue::Null => T::null(),
        ResolvedValue::Invalid => return State::Faulty { key, origin },
        _ => match T::read(resolved, reader, path) {
            Some(value) => Some(value),
            None => return State::Faulty { key, origin },
        },
    };
    match value {
        Some(value) => State::Is(Fact { value, key, origin, shared: shared() }),
        None => State::Empty { key, origin },
    }
}

/// The value at a path of a table in which nothing is given. `filters[zero_advantage].enforce` leads into the item of an array with that tag.
fn untouched_at(node: Node, path: &str, schema: Schema) -> Option<&'static Resolved> {
    static ABSENT: Resolved = Resolved { value: ResolvedValue::Null, origin: Origin::Default };
    let Some((list, rest)) = path.split_once('[') else { return untouched(node, path, schema.point) };
    let (tag, field) = rest.split_once("].")?;
    let items = untouched(node, list, schema.point)?.value.as_list().unwrap_or_default();
    let item = items.iter().find(|item| item.value.tag() == Some(tag));
    Some(item.and_then(|item| View::new(schema, item.value.as_table()?).get(field)).unwrap_or(&ABSENT))
}

/// The first key of a path.
pub(crate) fn first_key(path: &str) -> &str {
    &path[..path.bytes().position(|byte| matches!(byte, b'.' | b'[')).unwrap_or(path.len())]
}

/// The field with which a key begins in tables of a class.
pub(crate) fn first_field(path: &str, node: Node, point: Point) -> Option<Node> {
    node.field(first_key(path)).filter(|field| field.at(point).is_some())
}

/// Whether a key may have a value in tables of a class, for some choice of variants and free keys.
pub(crate) fn may_exist(path: &str, node: Node, point: Point) -> bool {
    let rest = path[first_key(path).len()..].split('.').skip(1);
    first_field(path, node, point).is_some_and(|field| may_lead(field, rest, point))
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

#[cfg(test)]
mod tests {
    use cfg_resolve::{ResolvedTable, View};
    use cfg_schema::{History, Kind, Point};

    use super::untouched_at;
    use crate::{
        Inference, Orchestrator, Run, Trainer, environment::EnvironmentSettings, fact::Owner, facts::Part, reader::Reader,
    };

    /// The keys of all settings, each as if it were one of the root.
    fn keys() -> impl Iterator<Item = &'static str> {
        let parts = [Run::declared(), Trainer::declared(), Orchestrator::declared(), Inference::declared()];
        let all = parts.into_iter().chain([EnvironmentSettings::declared()]).flatten();
        all.flat_map(|setting| [setting.own.clone(), setting.shared.clone()].concat())
    }

    #[test]
    fn the_schema_gives_what_a_table_without_given_keys_has() {
        let history = History::built_in();
        let points = (0..=history.newest().0).step_by(100).chain([history.newest().0]).map(Point);
        for (kind, point) in Kind::ALL.into_iter().flat_map(|kind| points.clone().map(move |point| (kind, point))) {
            let schema = history.schema(kind, point);
            let table = ResolvedTable::new(schema.root());
            let reader = Reader::new(View::new(schema, &table), Owner::TOP, None);
            for key in keys() {
                let (read, known) = (reader.get(key), untouched_at(schema.root(), key, schema));
                assert_eq!(format!("{read:?}"), format!("{known:?}"), "{kind}:{key} at {point:?}");
            }
        }
    }
}
