//! Moves that involve several places.

use cfg_compose::{Integer, Value};
use serde_json::{Map, Value as Json};

use crate::{
    conversion::{Conversion, amount, body_of, equal, name_of},
    draft::{Body, Node, Path, path_of},
    entries::Entries,
    making::{Goal, Making},
    pattern,
    step::{Inserts, Stepper, What, Why},
};

impl Stepper {
    /// Removes the keys that a table does not know.
    pub(crate) fn drop_unknown(&mut self, making: &Making<'_>) {
        let path = &making.matched.path;
        let Some(node) = self.draft.root.get(path) else { return };
        let Some(field) = pattern::field_at(&self.draft.root, self.history.root(self.kind), making.point, path) else { return };
        let table = pattern::variant(node, field, making.point);
        if table.fields(making.point).next().is_none() {
            return;
        }
        let is_unknown = |key: &str| table.field_for_key(key, making.point).is_none();
        let unknown = node.entries().iter().filter(|(key, below)| {
            // A key that a move has just put there becomes known at a later commit.
            is_unknown(key) && !below.has_left() && !below.is_fresh && below.id.is_some() && !below.is_changed
        });
        let unknown: Vec<Box<str>> = unknown.map(|(key, _)| key.clone()).collect();
        for key in &unknown {
            let mut path = path.clone();
            path.push(key.clone());
            self.record_at(making, &path, What::Dropped);
        }
        self.draft.root.take_all(path, &unknown.into_iter().collect());
    }

    /// Removes a component's key if the shared key took precedence over it.
    pub(crate) fn shared_wins(&mut self, making: &Making<'_>, components: &[&'static str]) {
        let before = cfg_schema::Point(making.point.0.saturating_sub(1));
        let Some(shared) = self.value_or_default(&making.matched.path, before) else { return };
        if is_null(&shared) {
            // A null shared key had no effect, and now only blocks the place.
            let is_set = |component: &&str| self.draft.root.get(&self.component_path(making.prepared, component)).is_some();
            if self.draft.root.get(&making.matched.path).is_some() && components.iter().any(is_set) {
                self.drop(making);
            }
            return;
        }
        for component in components {
            let path = self.component_path(making.prepared, component);
            let own = self.draft.root.get(&path).filter(|node| !node.has_left()).map(Node::to_value);
            if own.is_some_and(|own| !same(&own, &shared)) {
                self.record_at(making, &path, What::Dropped);
                self.draft.root.take(&path);
            }
        }
    }

    /// If a component's key took precedence over the shared one: writes the value of each component and removes the shared key.
    pub(crate) fn component_wins(&mut self, making: &Making<'_>, components: &[&'static str]) {
        let path = &making.matched.path;
        let Some(shared) = self.draft.root.get(path).map(Node::to_value).filter(|value| !is_null(value)) else { return };
        let paths: Vec<Path> = components.iter().map(|component| self.component_path(making.prepared, component)).collect();
        let own = |path: &Path| self.draft.root.get(path).map(Node::to_value);
        if !paths.iter().filter_map(own).any(|own| !same(&own, &shared)) {
            return;
        }
        for path in &paths {
            let node = Node::of(&shared);
            if self.draft.root.get(path).is_none() && self.draft.root.takes(path, &node) {
                self.record(making, What::Added(path.clone()));
                self.draft.root.put(path, node);
            }
        }
        self.drop(making);
    }

    /// Writes keys next to a key if they are absent, or removes them. The key itself is removed if the move removes it.
    pub(crate) fn with(&mut self, making: &Making<'_>, keys: &Map<String, Json>, may: bool) {
        if !may {
            return self.leave(making, Why::Meaning);
        }
        let is_gone = making.prepared.entry.change() == "remove";
        // The result of a migration may lack the key of the condition because that is gone: a second one must not take its result for an old text.
        let is_certain = making.prepared.entry.change() != "semantics"
            || making.prepared.condition.as_ref().is_none_or(|condition| self.is_written(condition, making.prepared));
        for (key, json) in keys {
            let path = match key.strip_prefix('.') {
                Some(below) => making.matched.path.iter().cloned().chain(path_of(below)).collect(),
                None => self.component_path(making.prepared, key),
            };
            if json.is_null() {
                if is_certain
                    && self.draft.root.get(&path).is_some_and(|node| !node.has_left())
                    && !self.draft.root.is_settled(&path)
                {
                    self.record_at(making, &path, What::Dropped);
                    self.draft.root.take(&path);
                }
                continue;
            }
            let node = Node::made(body_of(json, None));
            if self.draft.root.get(&path).is_none() && self.draft.root.takes(&path, &node) {
                let is_required = making.prepared.entry.change() == "new-error";
                // What replaces a key that is gone is not a default.
                let is_wanted = match self.inserts {
                    Inserts::All => true,
                    Inserts::Required => is_gone || is_required,
                    Inserts::Nothing => is_gone,
                };
                let is_migrated = self.taken.contains_key(&path) || self.draft.root.is_settled(&path);
                if !is_wanted || is_migrated {
                    self.has_left_out |= is_required && !is_migrated;
                    continue;
                }
                self.record(making, What::Added(path.clone()));
                self.draft.root.put(&path, node);
            }
        }
        if is_gone {
            self.drop(making);
        }
    }

    /// Distributes a value to the tables of an array.
    pub(crate) fn spread(&mut self, making: &Making<'_>, may: bool) {
        let Goal::Each(list, below) = making.goal(&self.draft.root) else { return self.leave(making, Why::NoPlace) };
        if !may {
            return self.leave(making, Why::Meaning);
        }
        let Some(node) = self.draft.root.get(&making.matched.path) else { return };
        let value = node.to_value();
        if is_null(&value) {
            return self.drop(making);
        }
        // Tables that are written for the new prime-rl may be there only since an earlier migration.
        if self.draft.root.get(&list).is_some_and(|_| self.draft.root.is_settled(&list)) {
            return self.leave(making, Why::NoPlace);
        }
        let makes_tables = making.prepared.conversion == Conversion::SpreadNew;
        let count = match self.draft.root.get(&list).map(|node| &node.body) {
            Some(Body::List(items)) => items.len(),
            Some(_) => return self.leave(making, Why::NoPlace),
            None => 0,
        };
        let Some(shares) = self.shares(making, &value, &list, count) else { return self.leave(making, Why::NoPlace) };
        if count == 0 && !makes_tables {
            return self.leave(making, Why::NoPlace);
        }
        let place = |index: usize| -> Path {
            list.iter().cloned().chain([index.to_string().into()]).chain(below.iter().cloned()).collect()
        };
        if count == 0 {
            let empty = Node::made(Body::List(vec![Node::made(Body::Table(Entries::default())); shares.len()]));
            if !self.draft.root.takes(&list, &empty) {
                return self.leave(making, Why::Occupied(list));
            }
            self.draft.root.put(&list, empty);
        }
        let is_taken = |index: usize| self.draft.root.get(&place(index)).is_some();
        // If all tables get the same value, a table that has its own keeps it.
        let is_each = making.prepared.conversion == Conversion::Each;
        if !is_each && (0..shares.len()).any(is_taken) {
            return self.leave(making, Why::Occupied(place(0)));
        }
        self.record(making, What::Moved(place(0)));
        for (index, share) in shares.into_iter().enumerate() {
            let (path, Some(share)) = (place(index), share) else { continue };
            if self.draft.root.get(&path).is_none() {
                self.draft.root.put(&path, Node::of(&share));
            }
        }
        self.draft.root.take(&making.matched.path);
    }

    /// The value for each table of an array; `None` if the value does not fit their number.
    fn shares(&self, making: &Making<'_>, value: &Value, list: &[Box<str>], count: usize) -> Option<Vec<Option<Value>>> {
        match (&making.prepared.conversion, value) {
            (Conversion::Each, value) => Some(vec![Some(value.clone()); count]),
            (Conversion::SpreadById, Value::Table(table)) => {
                let id_of = |index: usize| {
                    let path: Path = list.iter().cloned().chain([index.to_string().into(), "id".into()]).collect();
                    self.draft.root.get(&path).and_then(Node::leaf).and_then(name_of)
                };
                let ids: Vec<String> = (0..count).map(id_of).collect::<Option<_>>()?;
                let is_known = |key: &str| ids.iter().any(|id| id == key);
                table
                    .entries()
                    .iter()
                    .all(|entry| is_known(&entry.key))
                    .then(|| ids.iter().map(|id| table.get(id).map(|entry| entry.node.value.clone())).collect())
            }
            (Conversion::SpreadNew, Value::List(items)) if count == 0 => {
                Some(items.iter().map(|item| Some(item.value.clone())).collect())
            }
            (_, Value::List(items)) => {
                (items.len() == count).then(|| items.iter().map(|item| Some(item.value.clone())).collect())
            }
            // A single value for all tables, from before it was an array.
            _ => None,
        }
    }

    /// Divides a number by the number at another key.
    pub(crate) fn divide(&mut self, making: &Making<'_>, by: &str, may: bool) {
        let before = cfg_schema::Point(making.point.0.saturating_sub(1));
        let number = |value: &Value| if let Value::Int(Integer::Small(number)) = value { Some(*number) } else { None };
        let whole = self.draft.root.get(&making.matched.path).map(Node::to_value).as_ref().and_then(number);
        let divisor = self.value_or_default(&self.component_path(making.prepared, by), before).as_ref().and_then(number);
        match whole.zip(divisor).filter(|(whole, divisor)| *divisor > 0 && whole % divisor == 0) {
            Some((whole, divisor)) => {
                let new = Value::Int(Integer::Small(whole / divisor));
                let new = (divisor != 1).then_some(Body::Leaf(new));
                self.carry(making, may, new);
            }
            None => self.leave(making, Why::Meaning),
        }
    }
}

fn is_null(value: &Value) -> bool {
    matches!(value, Value::Null) || value.as_str() == Some("None")
}

/// Whether two raw values are equal for prime-rl: an integer equals a float of the same amount.
pub(crate) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Null, Value::Null) | (Value::Unknown, Value::Unknown) => true,
        (Value::Bool(one), Value::Bool(other)) => one == other,
        (Value::Int(one), Value::Int(other)) => one == other,
        (Value::Float(one), Value::Float(other)) => equal(*one, *other) || one.is_nan() && other.is_nan(),
        (Value::Int(Integer::Small(int)), Value::Float(float)) | (Value::Float(float), Value::Int(Integer::Small(int))) => {
            equal(amount(*int), *float)
        }
        (Value::Str(one), Value::Str(other)) => one == other,
        (Value::Datetime(one), Value::Datetime(other)) => one == other,
        (Value::List(one), Value::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(&one.value, &other.value))
        }
        (Value::Table(one), Value::Table(other)) => {
            one.entries().len() == other.entries().len()
                && one
                    .entries()
                    .iter()
                    .all(|entry| other.get(&entry.key).is_some_and(|other| same(&entry.node.value, &other.node.value)))
        }
        _ => false,
    }
}
