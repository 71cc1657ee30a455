//! The checked table as the code sees it: what is read from it or written to it is charged by its size.

use std::sync::Arc;

use cfg_schema::{Assigned, CheckedTable, Node, Seen, ValueSegment};

use super::heap;

/// The units for a table that is copied.
const OF_A_TABLE: usize = 100;

/// The checked table.
pub(super) struct Table<'t>(&'t mut dyn CheckedTable);

type Extras = Vec<(Arc<str>, Assigned)>;
type Pairs = Vec<(Vec<ValueSegment>, Vec<ValueSegment>)>;

impl<'t> Table<'t> {
    pub(super) fn new(table: &'t mut dyn CheckedTable) -> Self {
        Self(table)
    }

    /// See [`CheckedTable::get`].
    pub(super) fn get(&self, path: &[ValueSegment]) -> Seen {
        let seen = self.0.get(path);
        heap::spend(path.len() + if let Seen::Map(keys) = &seen { keys.len() } else { 1 });
        seen
    }

    /// See [`CheckedTable::given`].
    pub(super) fn given(&self, path: &[ValueSegment]) -> Vec<&'static str> {
        let given = self.0.given(path);
        heap::spend(given.len() + 1);
        given
    }

    /// See [`CheckedTable::extras`].
    pub(super) fn extras(&self, path: &[ValueSegment]) -> Option<Extras> {
        let extras = self.0.extras(path);
        heap::spend(extras.as_ref().map_or(1, |extras| extras.len() * 8));
        extras
    }

    /// See [`CheckedTable::holds`].
    pub(super) fn holds(&self, name: &str, key: &str) -> Option<bool> {
        heap::spend(OF_A_TABLE);
        self.0.holds(name, key)
    }

    /// See [`CheckedTable::is_of`].
    pub(super) fn is_of(&self, path: &[ValueSegment], class: &str) -> Option<bool> {
        self.0.is_of(path, class)
    }

    /// See [`CheckedTable::base_class`].
    pub(super) fn base_class(&self, path: &[ValueSegment]) -> Option<Node> {
        self.0.base_class(path)
    }

    /// See [`CheckedTable::classes`].
    pub(super) fn classes(&self, path: &[ValueSegment]) -> Vec<Node> {
        heap::spend(OF_A_TABLE);
        self.0.classes(path)
    }

    /// See [`CheckedTable::classes_below`].
    pub(super) fn classes_below(&self, class: Node, path: &[ValueSegment]) -> Vec<Node> {
        heap::spend(OF_A_TABLE);
        self.0.classes_below(class, path)
    }

    /// See [`CheckedTable::accepts`].
    pub(super) fn accepts(&self, class: Node, field: &str, value: &Assigned) -> Option<Result<(), String>> {
        self.pays_for(value)?;
        self.0.accepts(class, field, value)
    }

    /// See [`CheckedTable::look_up`].
    pub(super) fn look_up(&mut self, path: &[ValueSegment]) -> Option<Result<(), (String, String)>> {
        heap::spend(OF_A_TABLE);
        self.0.look_up(path)
    }

    /// See [`CheckedTable::shared`].
    pub(super) fn shared(&self) -> Pairs {
        let pairs = self.0.shared();
        heap::spend(pairs.len() * 4);
        pairs
    }

    /// See [`CheckedTable::share`].
    pub(super) fn share(&mut self, pairs: Pairs) {
        self.0.share(pairs);
    }

    /// See [`CheckedTable::assign`]. Without anything left nothing is assigned: the result of the check is unknown then.
    pub(super) fn assign(&mut self, path: &[ValueSegment], value: Assigned, made_of: Option<&[ValueSegment]>) {
        if self.pays_for(&value).is_some() {
            self.0.assign(path, value, made_of);
        }
    }

    /// See [`CheckedTable::remove`].
    pub(super) fn remove(&mut self, path: &[ValueSegment]) {
        heap::spend(OF_A_TABLE);
        self.0.remove(path);
    }

    /// Charges a value that is put into the table, with what is copied for it.
    fn pays_for(&self, value: &Assigned) -> Option<()> {
        heap::spend(4).then_some(())?;
        match value {
            Assigned::Str(text) => heap::spend(text.len() / cfg_meter::BYTES).then_some(()),
            Assigned::List(items) => items.iter().try_for_each(|item| self.pays_for(item)),
            Assigned::Map(entries) => entries.iter().try_for_each(|(_, value)| self.pays_for(value)),
            Assigned::Table(_, given, _) => {
                heap::spend(OF_A_TABLE).then_some(())?;
                given.iter().try_for_each(|(_, value)| self.pays_for(value))
            }
            Assigned::Copy(path) => self.pays_for_copy(path),
            Assigned::Null | Assigned::Bool(_) | Assigned::Int(_) | Assigned::Float(_) | Assigned::Unknown => Some(()),
        }
    }

    fn pays_for_copy(&self, path: &[ValueSegment]) -> Option<()> {
        heap::spend(4).then_some(())?;
        let below = |step: ValueSegment| path.iter().cloned().chain([step]).collect::<Vec<_>>();
        match self.get(path) {
            Seen::List(length) => (0..length).try_for_each(|at| self.pays_for_copy(&below(ValueSegment::Item(at)))),
            Seen::Map(keys) => keys.into_iter().try_for_each(|key| self.pays_for_copy(&below(ValueSegment::Key(key)))),
            Seen::Table(_) => heap::spend(OF_A_TABLE).then_some(()),
            _ => Some(()),
        }
    }
}
