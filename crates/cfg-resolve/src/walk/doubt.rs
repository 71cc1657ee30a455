//! Keys whose value cannot be determined: a misspelt or moved key stands for another one, and where two keys contradict each other either may be
//! the one that stays. No check is to go by what such a key seems to be.

use std::ops::Bound;

use cfg_compose::{Entry, Origin};
use cfg_schema::{Node, Segment, moved::Moved};

use super::Walker;
use crate::{Field, Resolved, ResolvedTable, ResolvedValue, suggest::nearest};

/// Of a table with more unknown keys nothing is guessed.
const MOST: usize = 64;

/// A path as [`crate::loc::Path::schema_path`] writes it.
pub(super) type Doubtful = String;

impl Walker<'_> {
    /// The key at a path below the table where the walker is.
    pub(crate) fn doubt(&mut self, path: &str) {
        let owner = self.path.schema_path();
        self.doubtful.insert(if owner.is_empty() { path.to_owned() } else { format!("{owner}.{path}") });
    }

    /// The keys for which unknown ones may be.
    pub(super) fn doubt_meant(&mut self, table: Node, unknown: &[&Entry], is_given: impl Fn(Node) -> bool) {
        if unknown.len() > MOST {
            return;
        }
        let point = self.schema.point;
        for entry in unknown {
            let names = table.fields(point).filter_map(|(field, _)| match field.segment() {
                Segment::Field(name) if !is_given(field) => Some(name),
                _ => None,
            });
            if let Some(meant) = nearest(&entry.key, names) {
                self.doubt(meant);
            }
            let owner = self.path.schema_path();
            let path = if owner.is_empty() { entry.key.to_string() } else { format!("{owner}.{}", entry.key) };
            let inner = entry.node.value.as_table().map(cfg_compose::Table::entries).unwrap_or_default();
            let paths = inner.iter().take(MOST).map(|inner| format!("{path}.{}", inner.key)).chain([path.clone()]);
            for path in paths {
                let moved = Moved::find(self.schema.history, self.schema.kind, &path, None, point);
                self.doubtful.extend(moved.and_then(|moved| moved.to));
            }
        }
    }

    /// Puts what cannot be determined into the table where the walker is, and into those below it.
    pub(super) fn mark_doubtful(&self, table: &mut ResolvedTable) {
        if self.doubtful.is_empty() {
            return;
        }
        let mut owner = self.path.schema_path();
        if !owner.is_empty() {
            owner.push('.');
        }
        // There may be as many tables as there are such keys.
        let below = self.doubtful.range::<str, _>((Bound::Included(&*owner), Bound::Unbounded));
        below.map_while(|path| path.strip_prefix(&*owner)).for_each(|path| self.mark(table, path));
    }

    fn mark(&self, table: &mut ResolvedTable, path: &str) {
        let (key, rest) = path.split_once('.').unwrap_or((path, ""));
        let Some(node) = key.split('[').next().and_then(|name| table.node.field(name)) else { return };
        if node.at(self.schema.point).is_none() {
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
