//! Keys whose value is unknown: another key was probably meant by a misspelt or moved one, and if two keys contradict each other, either may be
//! right. No check may depend on the apparent value of such a key.

use std::ops::Bound;

use cfg_compose::{Entry, Origin};
use cfg_meter::charge_each;
use cfg_schema::{Node, Segment, moved::Moved};

use super::Walker;
use crate::{Field, Resolved, ResolvedTable, ResolvedValue, loc::below, suggest::nearest};

/// With more unknown keys than this in a table, none is assumed to mean another one.
const MAX_UNKNOWN_KEYS: usize = 64;

/// The units for a key that is marked.
const OF_A_MARK: usize = 16;

/// A path in the notation of [`crate::loc::Path::schema_path`].
pub(super) type Doubtful = String;

impl Walker<'_> {
    /// Marks the key at a path below the walker's table as unknown.
    pub(crate) fn doubt(&mut self, path: &str) {
        let owner = self.path.schema_path();
        self.doubtful.insert(below(&owner, path));
    }

    /// Whether the value of a key of the walker's table is unknown.
    pub(super) fn is_doubtful(&self, key: &str) -> bool {
        !self.doubtful.is_empty() && self.doubtful.contains(&format!("{}.{key}", self.path.schema_path()))
    }

    /// Marks the keys that were probably meant by `unknown` ones, unless they are given.
    pub(super) fn doubt_meant(&mut self, table: Node, unknown: &[&Entry], is_given: impl Fn(Node) -> bool) {
        if unknown.len() > MAX_UNKNOWN_KEYS {
            return;
        }
        let point = self.schema.point;
        for entry in unknown {
            // Each name is compared with what is written.
            if charge_each(table.fields(point).count().saturating_mul(4)).is_err() {
                return;
            }
            let names = table.fields(point).filter_map(|(field, _)| match field.segment() {
                Segment::Field(name) if !is_given(field) => Some(name),
                _ => None,
            });
            if let Some(meant) = nearest(&entry.key, names) {
                self.doubt(meant);
            }
            let owner = self.path.schema_path();
            let path = below(&owner, &entry.key);
            let inner = entry.node.value.as_table().map(cfg_compose::Table::entries).unwrap_or_default();
            let paths = inner.iter().take(MAX_UNKNOWN_KEYS).map(|inner| format!("{path}.{}", inner.key)).chain([path.clone()]);
            for path in paths {
                let moved = Moved::find(self.schema.history, self.schema.kind, &path, None, point);
                self.doubtful.extend(moved.and_then(|moved| moved.to));
            }
        }
    }

    /// Makes the marked values unknown, in the walker's table and in those below it.
    pub(super) fn mark_doubtful(&self, table: &mut ResolvedTable) {
        if self.doubtful.is_empty() {
            return;
        }
        let mut owner = self.path.schema_path();
        if !owner.is_empty() {
            owner.push('.');
        }
        // A range query, because there may be as many tables as marked keys.
        let below = self.doubtful.range::<str, _>((Bound::Included(&*owner), Bound::Unbounded));
        below.map_while(|path| path.strip_prefix(&*owner)).for_each(|path| self.mark(table, path));
    }

    /// Makes the value at a path of a table unknown.
    pub(super) fn mark(&self, table: &mut ResolvedTable, path: &str) {
        let (key, rest) = path.split_once('.').unwrap_or((path, ""));
        let Some(node) = key.split('[').next().and_then(|name| table.node.field(name)) else { return };
        if node.at(self.schema.point).is_none() {
            return;
        }
        // As many keys may be doubtful as there are tables that have them.
        if charge_each(OF_A_MARK + table.fields.len() / 2).is_err() {
            return;
        }
        match table.given_mut(node).map(|field| &mut field.resolved.value) {
            None => {
                let resolved = Resolved { value: ResolvedValue::Invalid, origin: Origin::Default };
                table.fields.push(Field { node, resolved, is_set: true });
            }
            Some(value) if rest.is_empty() => *value = ResolvedValue::Invalid,
            Some(ResolvedValue::Table(inner)) => self.mark(inner, rest),
            Some(_) => {}
        }
    }
}
