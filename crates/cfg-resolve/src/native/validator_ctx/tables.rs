//! Access to maps with free keys and to whole tables, for the orchestrator's checks.

use cfg_compose::Origin;

use super::ValidatorCtx;
use crate::{Field, Resolved, ResolvedTable, ResolvedValue, coerce, default::default_of, view::KeyPath};

impl ValidatorCtx<'_> {
    /// Assigns a key of the map at a path, as Python's `self.a["key"] = value` does. This does not make the field count as set.
    pub(crate) fn set_key(&mut self, path: impl KeyPath, key: &str, value: impl Into<Resolved>) {
        self.remove_key(path, key);
        self.default_key(path, key, value);
    }

    /// Assigns a key of the map at a path unless it exists, as Python's `setdefault` does.
    pub(crate) fn default_key(&mut self, path: impl KeyPath, key: &str, value: impl Into<Resolved>) {
        let resolved = self.assigned(value);
        if let Some(Resolved { value: ResolvedValue::Map(entries), .. }) = self.materialize(path)
            && !entries.iter().any(|(other, _)| &**other == key)
        {
            entries.push((key.into(), resolved));
        }
    }

    pub(super) fn remove_key(&mut self, path: impl KeyPath, key: &str) {
        if let Some(Resolved { value: ResolvedValue::Map(entries), .. }) = self.materialize(path) {
            entries.retain(|(other, _)| &**other != key);
        }
    }

    /// The table at a path with all its fields, defaults included, each counted as set: in Python, the result of `model_dump`
    /// from which the class is built again.
    pub(crate) fn with_defaults(&self, path: &'static str) -> Option<ResolvedTable> {
        let resolved = self.get(path)?;
        let ResolvedValue::Table(table) = &resolved.value else { return None };
        let mut whole = table.clone();
        for (node, interval) in table.node.fields(self.point) {
            match whole.given_mut(node) {
                Some(field) => field.is_set = true,
                None => whole.fields.push(Field { node, resolved: default_of(node, interval, self.point).clone(), is_set: true }),
            }
        }
        Some(*whole)
    }

    /// Assigns the table at a path: `base`, with the values that are set there merged over it.
    pub(crate) fn set_over(&mut self, path: &'static str, base: ResolvedTable) {
        let is_set = self.is_set(path);
        let own = self.below(path).filter(|_| is_set).map(|own| own.table.fields.clone()).unwrap_or_default();
        self.set(path, ResolvedValue::Table(base.into()));
        let Some(mut laid) = self.below(path) else { return };
        for field in own.into_iter().filter(|field| field.is_set) {
            let Some(name) = field.node.field_name() else { continue };
            let Some(node) = laid.table.node.field(name) else { continue };
            match laid.table.given_mut(node) {
                Some(there) => there.resolved = field.resolved,
                None => laid.table.fields.push(Field { node, ..field }),
            }
        }
    }

    /// The value at a path, to assign it elsewhere.
    pub(crate) fn value(&self, path: &'static str) -> Option<Resolved> {
        self.get(path).cloned()
    }

    /// Whether the table has an extra key, which its class does not know but keeps.
    pub(crate) fn has_extra(&self, key: &str) -> bool {
        self.table.extra.iter().any(|(extra, _)| &**extra == key)
    }

    /// Assigns an array that contains the same integer `count` times.
    pub(crate) fn set_ints(&mut self, path: impl KeyPath, value: i128, count: usize) {
        let item = Resolved { value: ResolvedValue::Int(coerce::integer(value)), origin: Origin::Default };
        self.set(path, ResolvedValue::List(vec![item; count]));
    }
}
