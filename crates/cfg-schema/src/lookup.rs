//! Finds fields by paths as users write them.

use crate::{FieldType, History, Kind, Node, Point, Segment};

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
    let keys = path.split('.').map(|key| key.split(['[', '<']).next().unwrap_or_default()).filter(|key| !key.is_empty());
    keys.fold(vec![root], |found, key| found.iter().flat_map(|owner| owner.fields_named(key)).collect())
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

    fn fields_named(&self, key: &str) -> Vec<FoundField> {
        let mut fields = Vec::new();
        self.collect_named(key, &mut fields);
        fields
    }

    /// Collects the fields of this name, in the order of [`collect`](Self::collect): fields come before items and variants.
    fn collect_named(&self, key: &str, fields: &mut Vec<FoundField>) {
        fields.extend(self.node.field(key).map(|field| self.below(field)));
        for inner in self.node.inner_tables().filter(|inner| has_named(*inner, key)) {
            self.below(inner).collect_named(key, fields);
        }
    }

    fn collect(&self, fields: &mut Vec<FoundField>) {
        for child in self.node.children() {
            let below = self.below(child);
            if child.field_name().is_some() { fields.push(below) } else { below.collect(fields) }
        }
    }

    fn below(&self, node: Node) -> FoundField {
        let segment = match node.segment() {
            Segment::Field(name) if self.path.is_empty() => name.to_owned(),
            Segment::Field(name) => format!(".{name}"),
            Segment::Item => "[]".to_owned(),
            Segment::MapValue => ".*".to_owned(),
            Segment::Variant(tag) => format!("<{}={tag}>", self.tag_key()),
            Segment::Class(name) => format!("<{name}>"),
        };
        FoundField { path: format!("{}{segment}", self.path), node, within: self.own_stretches() }
    }

    /// The ranges in which the field exists below its tables. The items of unions have no ranges of their own.
    fn own_stretches(&self) -> Vec<Stretch> {
        let mut own: Vec<Stretch> = Vec::new();
        for interval in self.node.intervals() {
            match own.last_mut() {
                Some((_, until)) if *until == Some(interval.since()) => *until = interval.until(),
                _ => own.push((interval.since(), interval.until())),
            }
        }
        if own.is_empty() { self.within.clone() } else { intersection(&self.within, &own) }
    }

    fn tag_key(&self) -> &'static str {
        let key = |ty: FieldType| match ty.discriminator() {
            Some(crate::Discriminator::Key(key)) => Some(key),
            _ => None,
        };
        self.node.intervals().find_map(|interval| key(interval.field_type())).unwrap_or("type")
    }
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
    use super::find_fields;
    use crate::{History, Kind, Target};

    #[test]
    fn a_path_finds_its_fields_through_items_and_variants() {
        let history = History::built_in();
        let paths = |path: &str| find_fields(history, Kind::Rl, path).into_iter().map(|found| found.path).collect::<Vec<_>>();
        assert_eq!(paths("orchestrator.env.id"), ["orchestrator.env[].id"]);
        assert!(paths("trainer.optim.lr").contains(&"trainer.optim<type=adamw>.lr".to_owned()));
        assert!(paths("trainer.nothing").is_empty());
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
