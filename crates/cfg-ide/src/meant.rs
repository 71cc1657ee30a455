//! What is meant by keys that the target does not know: a misspelt one the nearest that it knows, one that went away what it was.

use std::borrow::Cow;

use cfg_schema::{Found, Point, Schema, Segment, find_fields, moved::when};
use cfg_syntax::Table;

use crate::{
    Analysis, Item,
    place::{self, Step, dotted},
};

/// Where help for a path is looked up.
pub(crate) struct Meant<'p> {
    /// The schema that knows it.
    pub(crate) schema: Schema,
    /// The path there.
    pub(crate) path: Cow<'p, [Step]>,
    /// What is supposed, in a clause.
    supposed: Vec<String>,
}

impl<'p> Meant<'p> {
    /// What a path means; the path itself where the target knows it, or where nothing is near.
    pub(crate) fn at(analysis: &Analysis, path: &'p [Step]) -> Self {
        let schema = analysis.schema();
        let mut meant = Self { schema, path: Cow::Borrowed(path), supposed: Vec::new() };
        for at in 0..path.len() {
            meant.step(analysis, &analysis.document.root, at);
        }
        meant
    }

    /// Looks at one key; those before it are known.
    fn step(&mut self, analysis: &Analysis, root: &Table, at: usize) {
        let Step::Key(key) = &self.path[at] else { return };
        let tables = place::tables(self.schema, root, &self.path[..at]);
        // Below a value or a free table nothing is misspelt.
        if tables.is_empty() || tables.iter().any(|table| table.field_for_key(key, self.schema.point).is_some()) {
            return;
        }
        if tables.iter().any(|table| matches!(table.segment(), Segment::Variant(_))) && &**key == "type" {
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
            self.path.to_mut()[at] = Step::Key(near.into());
        }
    }

    /// When the key that once was there went away.
    fn last_known(&self, key: &str) -> Option<Point> {
        let found = find_fields(self.schema.history, self.schema.kind, key);
        found.iter().filter_map(|found: &Found| found.until_before(self.schema.point)).max().filter(|until| until.0 > 0)
    }

    /// Says in items what they suppose.
    pub(crate) fn mark(&self, items: &mut [Item]) {
        for item in items {
            for supposed in &self.supposed {
                let gap = if item.detail.is_empty() { "" } else { "; " };
                item.detail.push_str(&format!("{gap}{supposed}"));
            }
        }
    }
}
