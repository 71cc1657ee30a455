//! The differences between an imported schema and the known points, and the point that is nearest to it.

use std::{cell::OnceCell, cmp::Ordering, collections::HashSet};

use crate::{History, Interval, Kind, Node, Point, Policy, Segment, TypeKind};

use crate::compiler::notation::{in_notation, is_same};

/// A difference between an imported schema and a known point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The kind of the config.
    pub kind: Kind,
    /// The path of the field: `trainer.optim<type=adamw>.lr`.
    pub path: String,
    /// The field at the known point; `None` if it doesn't exist there.
    pub known: Option<String>,
    /// The field in the imported schema; `None` if it doesn't exist there.
    pub own: Option<String>,
    /// The validators of its table that no point of the known history has: their effect is unknown.
    pub unknown_validators: Vec<String>,
    /// The validators that its table has at the known point, but not in the imported schema.
    pub gone_validators: Vec<String>,
}

/// A limit for the depth of fields, which no config of prime-rl reaches.
const MAX_DEPTH: usize = 40;

/// The only point of an imported schema, whose fields hold at all points.
const IMPORTED: Point = Point(0);

/// The known point from which an imported schema differs in the fewest fields, and the number of these fields. Of several such points, the newest.
pub fn nearest(imported: History) -> (Point, usize) {
    let (mut points, differing) = all_nearest(imported);
    (points.pop().unwrap_or(Point(0)), differing)
}

/// All points as in [`nearest`], the oldest first.
pub fn all_nearest(imported: History) -> (Vec<Point>, usize) {
    let built_in = History::built_in();
    let count = usize::from(built_in.newest().0) + 1;
    let mut votes = Votes { score: vec![0; count + 1] };
    let mut fields = 0;
    for kind in Kind::RUNS {
        let all = vec![(0, count)];
        votes.node(kind, Some(imported.root(kind)), built_in.root(kind), "", Above { alive: &all, is_open: false, depth: 0 });
        fields += fields_below(kind, imported.root(kind), "", 0);
    }
    let mut sum = 0;
    let scores: Vec<i64> = votes.score[..count]
        .iter()
        .map(|step| {
            sum += step;
            sum
        })
        .collect();
    let score = scores.iter().copied().max().unwrap_or(0);
    let points = (0..).zip(&scores).filter(|(_, one)| **one == score).map(|(index, _)| Point(index));
    (points.collect(), usize::try_from(fields - score).unwrap_or(0))
}

/// The differences of an imported schema from a known point, by kind and path. A difference in a part that several kinds share is listed once, for
/// the component to which the part belongs.
pub fn differences(imported: History, point: Point) -> Vec<Difference> {
    let mut walk = Walk { point, kind: Kind::Rl, path: String::new(), ever: OnceCell::new(), found: Vec::new() };
    for kind in Kind::RUNS {
        walk.kind = kind;
        walk.node(Some(imported.root(kind)), Some(History::built_in().root(kind)), 0);
    }
    walk.found.sort_by(|one, other| (one.kind, &one.path).cmp(&(other.kind, &other.path)));
    walk.found
}

/// Walks through both schemas at once.
struct Walk {
    point: Point,
    kind: Kind,
    path: String,
    /// The names of all validators of the known history.
    ever: OnceCell<HashSet<&'static str>>,
    found: Vec<Difference>,
}

impl Walk {
    /// Compares a field of the imported schema with that of the known point, and everything below them.
    fn node(&mut self, own: Option<Node>, known: Option<Node>, depth: usize) {
        let own = own.filter(|node| exists(*node, IMPORTED));
        let known = known.filter(|node| exists(*node, self.point));
        if (own.is_none() && known.is_none()) || depth > MAX_DEPTH {
            return;
        }
        let new = own.and_then(|node| node.at(IMPORTED));
        let old = known.and_then(|node| node.at(self.point));
        let is_equal = match (new, old) {
            (Some(new), Some(old)) => is_same(new, old) && names(new).eq(names(old)),
            (None, None) => true,
            _ => false,
        };
        if !is_equal {
            let found = self.difference(new, old);
            self.found.push(found);
        }
        // Fields below a table that exists on only one side are not listed.
        if new.is_some() != old.is_some() && !self.path.is_empty() {
            return;
        }
        if is_compared_elsewhere(self.kind, &self.path) {
            return;
        }
        for (own, known) in pairs(own, known) {
            let Some(segment) = own.or(known).map(Node::segment) else { continue };
            let length = self.path.len();
            step(&mut self.path, segment);
            self.node(own, known, depth + 1);
            self.path.truncate(length);
        }
    }

    fn difference(&self, new: Option<Interval>, old: Option<Interval>) -> Difference {
        let listed = |interval: Option<Interval>| interval.map(|interval| names(interval).collect()).unwrap_or_default();
        let (new_names, old_names): (Vec<&str>, Vec<&str>) = (listed(new), listed(old));
        let is_known = |name: &str| old_names.contains(&name) || self.ever.get_or_init(validators_ever).contains(name);
        Difference {
            kind: self.kind,
            path: self.path.clone(),
            known: old.map(in_notation),
            own: new.map(in_notation),
            unknown_validators: new_names.iter().filter(|name| !is_known(name)).map(|name| (*name).to_owned()).collect(),
            // They are not listed if the whole table is missing.
            gone_validators: old_names
                .iter()
                .filter(|name| new.is_some() && !new_names.contains(name))
                .map(|name| (*name).to_owned())
                .collect(),
        }
    }
}

/// The names of all validators of the known history.
fn validators_ever() -> HashSet<&'static str> {
    let (mut found, mut seen) = (HashSet::new(), HashSet::new());
    let mut open: Vec<Node> = Kind::ALL.iter().map(|kind| History::built_in().root(*kind)).collect();
    while let Some(node) = open.pop() {
        if seen.insert(node.id()) {
            node.intervals().for_each(|interval| found.extend(names(interval)));
            open.extend(node.children());
        }
    }
    found
}

/// The names of the validators of a table.
fn names(interval: Interval) -> impl Iterator<Item = &'static str> {
    interval.validators().map(|(_, name)| name)
}

/// Whether a field exists at a point, as far as it says so itself: an array of variants has no intervals of its own.
fn exists(node: Node, point: Point) -> bool {
    node.at(point).is_some() || node.intervals().next().is_none()
}

/// The number of fields of an imported schema. Fields of other entrypoints than those of a run may come from verifiers alone.
fn fields_below(kind: Kind, node: Node, path: &str, depth: usize) -> i64 {
    if !exists(node, IMPORTED) || depth > MAX_DEPTH {
        return 0;
    }
    let own = i64::from(node.at(IMPORTED).is_some());
    if is_compared_elsewhere(kind, path) {
        return own;
    }
    own + node.children().map(|child| fields_below(kind, child, &joined(path, child), depth + 1)).sum::<i64>()
}

/// Whether what is below a field is compared elsewhere: a component of an rl config is compared as a kind of its own.
fn is_compared_elsewhere(kind: Kind, path: &str) -> bool {
    kind == Kind::Rl && path.parse::<Kind>().is_ok_and(|component| component != Kind::Rl)
}

/// The children of two fields in their common order, those of the same step together.
fn pairs(one: Option<Node>, other: Option<Node>) -> impl Iterator<Item = (Option<Node>, Option<Node>)> {
    // The table stores children in the order of their steps.
    let mut one = one.into_iter().flat_map(Node::children).peekable();
    let mut other = other.into_iter().flat_map(Node::children).peekable();
    std::iter::from_fn(move || {
        let order = match (one.peek(), other.peek()) {
            (Some(one), Some(other)) => one.segment().cmp(&other.segment()),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return None,
        };
        Some(match order {
            Ordering::Less => (one.next(), None),
            Ordering::Equal => (one.next(), other.next()),
            Ordering::Greater => (None, other.next()),
        })
    })
}

fn joined(path: &str, node: Node) -> String {
    let mut path = path.to_owned();
    step(&mut path, node.segment());
    path
}

/// Adds a step to a path.
fn step(path: &mut String, segment: Segment) {
    match segment {
        Segment::Field(name) => {
            path.push_str(if path.is_empty() { "" } else { "." });
            path.push_str(name);
        }
        Segment::Item => path.push_str("[]"),
        Segment::MapValue => path.push_str(".*"),
        Segment::Variant(name) | Segment::Class(name) => path.extend(["<", name, ">"]),
    }
}

/// The scores of all points. Each field of the history adds one for the points at which it equals the imported schema, and subtracts one for the
/// points at which the imported schema lacks it.
struct Votes {
    /// The difference between the score of a point and that of the one before.
    score: Vec<i64>,
}

/// The tables above a field.
#[derive(Clone, Copy)]
struct Above<'a> {
    /// The ranges of points in which they exist.
    alive: &'a [(usize, usize)],
    /// Whether the imported schema leaves their contents open.
    is_open: bool,
    depth: usize,
}

impl Votes {
    /// `own`: the same field of the imported schema.
    fn node(&mut self, kind: Kind, own: Option<Node>, known: Node, path: &str, above: Above<'_>) {
        let Above { alive, is_open, depth } = above;
        if depth > MAX_DEPTH {
            return;
        }
        let own = own.filter(|node| exists(*node, IMPORTED));
        let own_interval = own.and_then(|node| node.at(IMPORTED));
        let mut own_stretches = Vec::new();
        for interval in known.intervals() {
            let since = usize::from(interval.since().0);
            let until = interval.until().map_or(usize::MAX, |until| usize::from(until.0));
            let within: Vec<(usize, usize)> =
                alive.iter().map(|&(from, to)| (from.max(since), to.min(until))).filter(|(from, to)| from < to).collect();
            if within.is_empty() {
                continue;
            }
            let vote = match own_interval {
                Some(own) if is_same(own, interval) && names(own).eq(names(interval)) => 1,
                Some(_) => 0,
                // In an open table the field may exist.
                None if is_open => 0,
                None => -1,
            };
            for &(from, to) in &within {
                self.score[from] += vote;
                self.score[to] -= vote;
            }
            own_stretches.extend(within);
        }
        let leaves_open =
            |interval: Interval| matches!(interval.field_type().kind(), TypeKind::Any | TypeKind::Table(Policy::Allow));
        let is_open = is_open || own_interval.is_some_and(leaves_open);
        let alive = if known.intervals().next().is_none() { alive } else { &own_stretches };
        if alive.is_empty() || is_compared_elsewhere(kind, path) {
            return;
        }
        for (own, known) in pairs(own, Some(known)) {
            let Some(known) = known else { continue };
            self.node(kind, own, known, &joined(path, known), Above { alive, is_open, depth: depth + 1 });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use crate::{History, Kind, Point, Target};

    use super::{IMPORTED, differences, nearest};
    use crate::compiler::{Field, compile, listing, recorded};

    /// The fields of a point, as if they were imported.
    fn imported(at: Point) -> History {
        let of_kind = |kind| recorded(History::built_in().root(kind), at, "").into_iter().map(|(_, field)| field).collect();
        let kinds: Vec<Vec<Field>> = Kind::ALL.into_iter().map(of_kind).collect();
        compile(&kinds, &[], at).expect("they fit together")
    }

    /// Kind, path and properties of each field, with paths as in differences.
    fn fields(history: History, at: Point) -> HashSet<(String, String)> {
        let plain = |line: String| {
            let (place, what) = line.split_once("  ")?;
            Some((place.replace(":.", ":").replace("<type=", "<"), what.to_owned()))
        };
        listing(history, at).into_iter().filter_map(plain).collect()
    }

    #[test]
    fn the_differences_are_complete() {
        let point = |name| Target::parse(History::built_in(), name).expect("it is known").point;
        for (at, other) in [("0.4.0", "0.5.0"), ("0.6.0", "0.7.0"), ("0.8.0", "559b44772")] {
            let (at, other) = (point(at), point(other));
            let history = imported(at);
            assert!(differences(history, at).is_empty());
            let (found, count) = nearest(history);
            assert_eq!((count, listing(History::built_in(), found)), (0, listing(history, IMPORTED)));

            let told = differences(history, other);
            let all: Vec<String> = told.iter().map(|one| format!("{}:{}", one.kind, one.path)).collect();
            assert!(all.is_sorted_by(|one, next| one != next) && !all.is_empty());
            let (here, there) = (fields(history, IMPORTED), fields(History::built_in(), other));
            let changed: HashSet<&str> = here.symmetric_difference(&there).map(|(place, _)| place.as_str()).collect();
            for (one, place) in told.iter().zip(&all) {
                assert!(changed.contains(place.as_str()), "{one:?}");
            }
            // Components of an rl config are listed as kinds of their own.
            let is_component = |place: &str| {
                let first = place.strip_prefix("rl:").and_then(|path| path.split(['.', '[', '<']).next());
                first.is_some_and(|first| place.len() > "rl:".len() + first.len() && first.parse::<Kind>().is_ok())
            };
            for place in changed.into_iter().filter(|place| !is_component(place)) {
                let is_told = |above: &String| {
                    place
                        .strip_prefix(&**above)
                        .is_some_and(|below| !below.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
                };
                assert!(all.iter().any(is_told), "{place}");
            }
        }
    }
}
