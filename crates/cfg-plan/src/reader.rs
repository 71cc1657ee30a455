//! A table from which settings are read by their keys at all versions.

use std::{borrow::Cow, cell::Cell};

use cfg_compose::Origin;
use cfg_resolve::{Field, Resolved, ResolvedTable, ResolvedValue, View};
use cfg_schema::{Node, NodeCache, Point};

use crate::{class::Class, fact::Owner, facts::Part};

/// A table from which settings are read, with its key.
pub(crate) struct Reader<'a> {
    pub(crate) view: View<'a>,
    pub(crate) owner: Owner,
    /// The table from which it inherits values; `None` if there is none.
    pub(crate) above: Option<Above<'a>>,
    /// The fields on which a setting may depend: those that are given. All of them if the table's own key matters.
    pub(crate) relevant: FieldSet,
    /// As `relevant`, for a setting that prime-rl copies from a shared key: all of them if values of other tables matter.
    pub(crate) relevant_if_shared: FieldSet,
    /// The field that was last looked up, and its place among the given ones: most settings of a part are in the same field.
    last: Cell<Option<(Node, Option<usize>)>>,
}

/// A table from which other tables get values.
#[derive(Clone, Copy)]
pub(crate) enum Above<'a> {
    /// The root of an `rl` config. prime-rl copies its shared keys to the components.
    Run(&'a View<'a>),
    /// A component with its key. Its environments inherit its sampling settings.
    Component(&'a View<'a>, &'a Owner),
}

/// A set of fields of one table. It may contain fields that were not added.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FieldSet(u64);

impl FieldSet {
    const ALL: Self = Self(u64::MAX);

    /// The set of these fields.
    pub(crate) fn of(fields: impl Iterator<Item = Node>) -> Self {
        // The fields of a table have consecutive numbers, so only those of large tables share a bit.
        Self(fields.fold(0, |bits, field| bits | 1 << (field.id() % u64::BITS)))
    }

    /// Whether a field may be in both sets.
    pub(crate) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl<'a> Reader<'a> {
    pub(crate) fn new(view: View<'a>, owner: Owner, above: Option<Above<'a>>) -> Self {
        let (all, last) = (FieldSet::ALL, Cell::new(None));
        let mut reader = Self { view, owner, above, relevant: all, relevant_if_shared: all, last };
        if !reader.owner.is_item() {
            reader.relevant = FieldSet::of(view.table().fields.iter().map(|field| field.node));
            if reader.not_copied_from().is_none() {
                reader.relevant_if_shared = reader.relevant;
            }
        }
        reader
    }

    /// Reads a part, whose settings all are absent.
    pub(crate) fn read<P: Part>(&self, part: &mut P) {
        let class = Class { schema: self.view.schema(), node: self.view.table().node, owner: self.owner };
        part.read(P::known().of(class, || P::layouts(&class)), self);
    }

    /// What `find` determines, once for the class of this table, from its node.
    pub(crate) fn of_class<T>(&self, known: &'static NodeCache<T>, find: impl Fn(Node, Point) -> T) -> &'static T {
        let (node, point) = (self.view.table().node, self.view.schema().point);
        known.of(node, point, || find(node, point))
    }

    /// The given field of this table.
    pub(crate) fn given(&self, node: Node) -> Option<&'a Field> {
        let fields = &self.view.table().fields;
        let place = match self.last.get() {
            Some((last, place)) if last == node => place,
            _ => fields.place_of(node),
        };
        self.last.set(Some((node, place)));
        fields.get(place?)
    }

    /// The value at a path below this table. `filters[zero_advantage].enforce` leads into the item of an array with that tag.
    pub(crate) fn get(&self, path: &str) -> Option<Cow<'a, Resolved>> {
        if !path.contains('[') {
            let known = self.view.get(path).or_else(|| self.view.in_the_way(path));
            return known.map(Cow::Borrowed).or_else(|| self.view.free(path).map(Cow::Owned));
        }
        let (list, rest) = path.split_once('[')?;
        let (tag, field) = rest.split_once("].")?;
        let items = self.view.each(list);
        let item = items.iter().find(|(_, item)| item.tag("") == Some(tag));
        let absent = || Cow::Owned(Resolved { value: ResolvedValue::Null, origin: Origin::Default });
        self.view.get(list)?;
        Some(item.and_then(|(_, item)| item.get(field)).map_or_else(absent, Cow::Borrowed))
    }

    /// The root of an `rl` config if prime-rl has not copied its shared keys, which it only does if all fields are valid.
    pub(crate) fn not_copied_from(&self) -> Option<&'a View<'a>> {
        match self.above {
            Some(Above::Run(run)) if !run.table().is_valid => Some(run),
            _ => None,
        }
    }

    /// The table at a path below this table.
    pub(crate) fn below(&self, path: &'static &'static str) -> Option<Reader<'a>> {
        Some(self.inner(self.view.below(path)?.table(), path))
    }

    /// A table whose path below this table is known.
    pub(crate) fn inner(&self, table: &'a ResolvedTable, path: &'static &'static str) -> Reader<'a> {
        Reader::new(View::new(self.view.schema(), table), self.owner.below(path), self.above)
    }
}
