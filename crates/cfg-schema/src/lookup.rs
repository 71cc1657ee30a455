//! Finds fields by paths as users write them.

use crate::{FieldType, History, Kind, Node, Point, Schema, Segment};

/// A range of points: the first point, and the first point after it; `None` if it still applies.
pub type Stretch = (Point, Option<Point>);

/// A field that a path names.
#[derive(Clone, Debug)]
pub struct FoundField {
    /// Its full path, in the notation of the history: `trainer.optim<type=adamw>.lr`.
    pub path: String,
    /// The field.
    pub node: Node,
    /// The ranges of points in which all tables above the field exist.
    pub within: Vec<Stretch>,
}

/// The fields that a dotted path names at any point. Indices, `[]` and variants may be left out: `orchestrator.env.id` names the `id` of
/// each environment, and `trainer.optim.lr` that of each optimizer.
pub fn find_fields(history: History, kind: Kind, path: &str) -> Vec<FoundField> {
    let root = FoundField { path: String::new(), node: history.root(kind), within: vec![(Point(0), None)] };
    keys(path).fold(vec![root], |found, key| found.iter().flat_map(|owner| owner.fields_named(key)).collect())
}

impl Schema {
    /// The fields that a dotted path names at its point: those of [`find_fields`] that exist then, in the same order.
    pub fn named(self, path: &str) -> Vec<Node> {
        let mut found = vec![self.root()];
        for key in keys(path) {
            let mut below = Vec::new();
            found.into_iter().for_each(|owner| self.collect(owner, &|table| table.field(key), &mut below));
            found = below;
        }
        found.retain(|node| node.at(self.point).is_some());
        found
    }

    /// The fields directly below a field at its point, including those of its variants and items.
    pub fn below(self, field: Node) -> Vec<Node> {
        let mut found = Vec::new();
        let is_field = |node: &Node| node.field_name().is_some() && node.at(self.point).is_some();
        self.collect(field, &|table| table.children().filter(is_field).collect::<Vec<_>>(), &mut found);
        found
    }

    /// Collects fields of a table, if it is there, and then those of its items and variants.
    fn collect<F: IntoIterator<Item = Node>>(self, table: Node, fields: &impl Fn(Node) -> F, found: &mut Vec<Node>) {
        // The items of unions have no ranges of their own: they exist where their union does.
        if table.intervals().next().is_some() && table.at(self.point).is_none() {
            return;
        }
        found.extend(fields(table));
        table.inner_tables().for_each(|inner| self.collect(inner, fields, found));
    }

    /// Whether a dotted path names a field at its point.
    pub fn has(self, path: &str) -> bool {
        !self.named(path).is_empty()
    }
}

/// The keys of a path, without indices, `[]` and variants.
fn keys(path: &str) -> impl Iterator<Item = &str> {
    path.split('.').map(|key| key.split(['[', '<']).next().unwrap_or_default()).filter(|key| !key.is_empty())
}

impl FoundField {
    /// The fields directly below it that exist at `point`, including those of its variants and items.
    pub fn fields_at(&self, point: Point) -> Vec<FoundField> {
        let mut fields = Vec::new();
        self.collect(&mut fields);
        fields.retain(|field| field.exists_at(point));
        fields
    }

    /// The first point at which it exists.
    pub fn since(&self) -> Option<Point> {
        self.own_stretches().first().map(|(since, _)| *since)
    }

    /// The first point at or before `point` from which it no longer exists; `None` if it still exists.
    pub fn until_before(&self, point: Point) -> Option<Point> {
        self.own_stretches().into_iter().filter_map(|(_, until)| until).filter(|&until| until <= point).max()
    }

    /// Whether it and all the tables above it exist at `point`.
    pub fn exists_at(&self, point: Point) -> bool {
        self.node.at(point).is_some()
            && self.within.iter().any(|(since, until)| *since <= point && until.is_none_or(|until| point < until))
    }

    /// The fields of this name below it, in the order of [`collect`](Self::collect): fields come before items and variants.
    fn fields_named(&self, key: &str) -> Vec<FoundField> {
        let mut fields = Vec::new();
        let mut path = self.path.clone();
        collect_named(self.node, key, &mut path, &self.own_stretches(), &mut fields);
        fields
    }

    fn collect(&self, fields: &mut Vec<FoundField>) {
        for child in self.node.children() {
            let below = self.below(child);
            if child.field_name().is_some() { fields.push(below) } else { below.collect(fields) }
        }
    }

    fn below(&self, node: Node) -> FoundField {
        let mut path = self.path.clone();
        push_segment(&mut path, self.node, node);
        FoundField { path, node, within: self.own_stretches() }
    }

    /// The ranges in which the field exists below its tables.
    fn own_stretches(&self) -> Vec<Stretch> {
        stretches(self.node, &self.within)
    }
}

/// Collects the fields of this name in a table with this path, which exists in the ranges `within`.
fn collect_named(table: Node, key: &str, path: &mut String, within: &[Stretch], fields: &mut Vec<FoundField>) {
    let length = path.len();
    if let Some(field) = table.field(key) {
        push_segment(path, table, field);
        fields.push(FoundField { path: path.clone(), node: field, within: within.to_vec() });
        path.truncate(length);
    }
    for inner in table.inner_tables().filter(|inner| has_named(*inner, key)) {
        push_segment(path, table, inner);
        collect_named(inner, key, path, &stretches(inner, within), fields);
        path.truncate(length);
    }
}

/// Adds the step from a table to a node below it to a path.
fn push_segment(path: &mut String, table: Node, below: Node) {
    let parts = match below.segment() {
        Segment::Field(name) => ["", if path.is_empty() { "" } else { "." }, "", name, ""],
        Segment::Item => ["", "[]", "", "", ""],
        Segment::MapValue => ["", ".*", "", "", ""],
        Segment::Variant(tag) => ["<", tag_key(table), "=", tag, ">"],
        Segment::Class(name) => ["<", "", "", name, ">"],
    };
    path.extend(parts);
}

/// The ranges in which a node exists below tables that exist in the ranges `within`. The items of unions have no ranges of their own.
fn stretches(node: Node, within: &[Stretch]) -> Vec<Stretch> {
    let mut own: Vec<Stretch> = Vec::new();
    for interval in node.intervals() {
        match own.last_mut() {
            Some((_, until)) if *until == Some(interval.since()) => *until = interval.until(),
            _ => own.push((interval.since(), interval.until())),
        }
    }
    if own.is_empty() { within.to_vec() } else { intersection(within, &own) }
}

/// The key whose value decides between the variants of a table.
fn tag_key(table: Node) -> &'static str {
    let key = |ty: FieldType| match ty.discriminator() {
        Some(crate::Discriminator::Key(key)) => Some(key),
        _ => None,
    };
    table.intervals().find_map(|interval| key(interval.field_type())).unwrap_or("type")
}

/// Whether a node, or an item or a variant of it, has a field of this name.
fn has_named(node: Node, key: &str) -> bool {
    node.field(key).is_some() || node.inner_tables().any(|inner| has_named(inner, key))
}

/// The ranges of points that are in both lists.
pub(crate) fn intersection(one: &[Stretch], other: &[Stretch]) -> Vec<Stretch> {
    let mut both = Vec::new();
    for (since, until) in one {
        for (other_since, other_until) in other {
            let since = *since.max(other_since);
            let until = match (until, other_until) {
                (Some(one), Some(other)) => Some(*one.min(other)),
                (one, other) => one.or(*other),
            };
            if until.is_none_or(|until| since < until) {
                both.push((since, until));
            }
        }
    }
    both
}

#[cfg(test)]
mod tests {
    use super::{FoundField, find_fields};
    use crate::{History, Kind, Point, Target};

    #[test]
    fn a_path_finds_its_fields_through_items_and_variants() {
        let history = History::built_in();
        let paths = |path: &str| find_fields(history, Kind::Rl, path).into_iter().map(|found| found.path).collect::<Vec<_>>();
        assert_eq!(paths("orchestrator.env.id"), ["orchestrator.env[].id"]);
        assert!(paths("trainer.optim.lr").contains(&"trainer.optim<type=adamw>.lr".to_owned()));
        assert!(paths("trainer.nothing").is_empty());
    }

    /// At each point, for paths with lists, variants and tables of other times.
    #[test]
    fn what_is_named_at_a_point_is_what_exists_then() {
        let history = History::built_in();
        let paths = ["", "trainer.optim.lr", "orchestrator.env.id", "orchestrator.train.source.env", "ckpt", "trainer.nothing"];
        for point in (0..=history.newest().0).map(Point) {
            for kind in [Kind::Rl, Kind::Sft, Kind::Orchestrator] {
                for path in paths {
                    let found = find_fields(history, kind, path).into_iter().filter(|found| found.exists_at(point));
                    let found: Vec<FoundField> = found.collect();
                    let schema = history.schema(kind, point);
                    let nodes = |found: &[FoundField]| found.iter().map(|found| found.node).collect::<Vec<_>>();
                    assert_eq!(schema.named(path), nodes(&found), "{kind:?} {path} {point:?}");
                    for found in found {
                        assert_eq!(schema.below(found.node), nodes(&found.fields_at(point)), "{kind:?} {path} {point:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_field_exists_only_while_its_tables_do() {
        let history = History::built_in();
        let release = Target::parse(history, "0.2").expect("it is a release");
        let found = find_fields(history, Kind::Rl, "orchestrator.train.source.name");
        assert!(!found.is_empty());
        assert!(found.iter().all(|found| !found.exists_at(release.point)));
    }
}
