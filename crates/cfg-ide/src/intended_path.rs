//! The meaning of unknown keys: for a misspelt one the nearest known key, for a removed one the former key.

use std::borrow::Cow;

use cfg_schema::{FoundField, Point, Schema, Segment, find_fields, moved::when};
use cfg_syntax::Table;

use crate::{
    Analysis, Item,
    arguments::free_table,
    place::{self, PathSegment, dotted},
};

/// The place of the help for a path.
pub(crate) struct IntendedPath<'p> {
    /// The schema that has it.
    pub(crate) schema: Schema,
    /// The path there.
    pub(crate) path: Cow<'p, [PathSegment]>,
    /// The assumptions, each as a clause.
    supposed: Vec<String>,
}

impl<'p> IntendedPath<'p> {
    /// The meaning of a path; the path itself if the target has it, or if nothing is similar.
    pub(crate) fn at(analysis: &Analysis, path: &'p [PathSegment]) -> Self {
        let schema = analysis.schema();
        let mut meant = Self { schema, path: Cow::Borrowed(path), supposed: Vec::new() };
        for at in 0..path.len() {
            meant.step(analysis, &analysis.document.root, at);
        }
        meant
    }

    /// Resolves one key; those before it are known.
    fn step(&mut self, analysis: &Analysis, root: &Table, at: usize) {
        let PathSegment::Key(key) = &self.path[at] else { return };
        let tables = place::tables(self.schema, root, &self.path[..at]);
        // Below a value or a free table no key is misspelt.
        if tables.is_empty() || tables.iter().any(|table| table.field_for_key(key, self.schema.point).is_some()) {
            return;
        }
        if tables.iter().any(|table| matches!(table.segment(), Segment::Variant(_))) && &**key == "type" {
            return;
        }
        if free_table(analysis, &self.path[..at]).is_some_and(|table| table.type_of(key).is_some()) {
            return;
        }
        let key_here = dotted(&self.path[..=at]);
        if let Some(until) = self.last_known(&key_here) {
            self.supposed.push(format!("`{key_here}` was removed {}", when(analysis.history(), until)));
            self.schema = analysis.history().schema(self.schema.kind, Point(until.0 - 1));
            return;
        }
        let fields = tables.iter().flat_map(|table| table.fields(self.schema.point));
        let names = fields.filter_map(|(node, _)| node.field_name());
        if let Some(near) = cfg_resolve::nearest(key, names) {
            self.supposed.push(format!("if `{key}` is `{near}`"));
            self.path.to_mut()[at] = PathSegment::Key(near.into());
        }
    }

    /// The time when a former key was removed.
    fn last_known(&self, key: &str) -> Option<Point> {
        let found = find_fields(self.schema.history, self.schema.kind, key);
        found.iter().filter_map(|found: &FoundField| found.until_before(self.schema.point)).max().filter(|until| until.0 > 0)
    }

    /// Adds the assumptions to items.
    pub(crate) fn mark(&self, items: &mut [Item]) {
        for item in items {
            for supposed in &self.supposed {
                let gap = if item.detail.is_empty() { "" } else { "; " };
                item.detail.push_str(&format!("{gap}{supposed}"));
            }
        }
    }
}
