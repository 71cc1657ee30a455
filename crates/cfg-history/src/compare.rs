//! The differences between an imported schema and the known points, and the point that is nearest to it.

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

use cfg_schema::{History, Interval, Kind, Node, Point, Segment};

use crate::notation::in_notation;

/// The parts of a field that are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shown {
    /// The field in the notation of the history.
    field: String,
    /// The names of its table's validators.
    validators: Vec<String>,
}

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

type Fields = HashMap<(Kind, String), Shown>;

/// A limit for the depth of fields, which no config of prime-rl reaches.
const MAX_DEPTH: usize = 40;

/// The known point from which an imported schema differs in the fewest fields, and the number of these fields. Of several such points, the newest.
pub fn nearest(imported: History) -> (Point, usize) {
    let own = fields(imported, Point(0));
    let built_in = History::built_in();
    let count = usize::from(built_in.newest().0) + 1;
    let mut votes = Votes { own: &own, score: vec![0; count + 1], shown: HashMap::new() };
    for kind in Kind::RUNS {
        let all = vec![(0, count)];
        votes.node(kind, built_in.root(kind), "", (&all, false), 0);
    }
    let mut sum = 0;
    let scores: Vec<i64> = votes.score[..count]
        .iter()
        .map(|step| {
            sum += step;
            sum
        })
        .collect();
    let best = scores.iter().enumerate().max_by_key(|(index, score)| (**score, *index)).map_or(0, |(index, _)| index);
    let score = scores.get(best).copied().unwrap_or(0);
    (Point(best as u16), usize::try_from(i64::try_from(own.len()).unwrap_or(i64::MAX) - score).unwrap_or(0))
}

/// The differences of an imported schema from a known point, by kind and path. A difference in a part that several kinds share is listed once, for
/// the component to which the part belongs.
pub fn differences(imported: History, point: Point) -> Vec<Difference> {
    let own = fields(imported, Point(0));
    let known = fields(History::built_in(), point);
    let mut places: Vec<&(Kind, String)> = own.keys().chain(known.keys()).collect();
    places.sort_unstable();
    places.dedup();
    let ever = validators_ever();
    let mut found = Vec::new();
    for place in places {
        let (new, old) = (own.get(place), known.get(place));
        if new == old {
            continue;
        }
        // Fields below a table that exists on only one side are not listed.
        let is_below_listed = |whole: &Fields, other: &Fields| {
            let above = place.1.rfind(['.', '[', '<']).map(|at| &place.1[..at]).filter(|above| !above.is_empty());
            above.is_some_and(|above| {
                let key = (place.0, above.to_owned());
                whole.contains_key(&key) && !other.contains_key(&key)
            })
        };
        if is_below_listed(&own, &known) || is_below_listed(&known, &own) {
            continue;
        }
        let names = |shown: Option<&Shown>| shown.map(|shown| shown.validators.clone()).unwrap_or_default();
        let (new_names, old_names) = (names(new), names(old));
        found.push(Difference {
            kind: place.0,
            path: place.1.clone(),
            known: old.map(|shown| shown.field.clone()),
            own: new.map(|shown| shown.field.clone()),
            unknown_validators: new_names.iter().filter(|name| !ever.contains(name.as_str())).cloned().collect(),
            // They are not listed if the whole table is missing.
            gone_validators: old_names.iter().filter(|name| new.is_some() && !new_names.contains(name)).cloned().collect(),
        });
    }
    found
}

/// The names of all validators of the known history.
fn validators_ever() -> HashSet<&'static str> {
    let (mut names, mut seen) = (HashSet::new(), HashSet::new());
    let mut open: Vec<Node> = Kind::ALL.iter().map(|kind| History::built_in().root(*kind)).collect();
    while let Some(node) = open.pop() {
        if seen.insert(node.id()) {
            names.extend(node.intervals().flat_map(|interval| interval.validators().map(|(_, name)| name).collect::<Vec<_>>()));
            open.extend(node.children());
        }
    }
    names
}

fn shown(interval: Interval) -> Shown {
    Shown { field: in_notation(interval), validators: interval.validators().map(|(_, name)| name.to_owned()).collect() }
}

/// All fields of a run's entrypoints that exist at a point. Other entrypoints are left out, because their fields may come from verifiers alone.
fn fields(history: History, point: Point) -> Fields {
    let mut found = Fields::new();
    for kind in Kind::RUNS {
        collect(kind, history.root(kind), String::new(), point, 0, &mut found);
    }
    found
}

fn collect(kind: Kind, node: Node, path: String, point: Point, depth: usize, found: &mut Fields) {
    let interval = node.at(point);
    // An array of variants has no intervals of its own.
    if (interval.is_none() && node.intervals().next().is_some()) || depth > MAX_DEPTH {
        return;
    }
    for child in own_children(kind, node, &path) {
        collect(kind, child, joined(&path, child), point, depth + 1, found);
    }
    if let Some(interval) = interval {
        found.insert((kind, path), shown(interval));
    }
}

/// The children of a field, without components of an rl config, which are compared as kinds of their own.
fn own_children(kind: Kind, node: Node, path: &str) -> impl Iterator<Item = Node> {
    let is_component = kind == Kind::Rl && path.parse::<Kind>().is_ok_and(|component| component != Kind::Rl);
    node.children().filter(move |_| !is_component)
}

fn joined(path: &str, node: Node) -> String {
    match node.segment() {
        Segment::Field(name) if path.is_empty() => name.to_owned(),
        Segment::Field(name) => format!("{path}.{name}"),
        Segment::Item => format!("{path}[]"),
        Segment::MapValue => format!("{path}.*"),
        Segment::Variant(tag) => format!("{path}<{tag}>"),
        Segment::Class(name) => format!("{path}<{name}>"),
    }
}

/// The scores of all points. Each field of the history adds one for the points at which it equals the imported schema, and subtracts one for the
/// points at which the imported schema lacks it.
struct Votes<'f> {
    own: &'f Fields,
    /// The difference between the score of a point and that of the point before it.
    score: Vec<i64>,
    /// The intervals of each node in comparable form. They are kept, because a node is visited once for each place at which its class is used.
    shown: HashMap<u32, Rc<[Shown]>>,
}

impl Votes<'_> {
    /// Counts a node and everything below it. `alive` has the ranges in which the tables above exist; `is_open` says whether the imported schema
    /// accepts any content of them.
    fn node(&mut self, kind: Kind, node: Node, path: &str, (alive, is_open): (&[(usize, usize)], bool), depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        let mut own_stretches = Vec::new();
        let intervals = self.shown.entry(node.id()).or_insert_with(|| node.intervals().map(shown).collect());
        let intervals = Rc::clone(intervals);
        let own = self.own.get(&(kind, path.to_owned()));
        for (interval, shown) in node.intervals().zip(intervals.iter()) {
            let since = usize::from(interval.since().0);
            let until = interval.until().map_or(usize::MAX, |until| usize::from(until.0));
            let within: Vec<(usize, usize)> =
                alive.iter().map(|&(from, to)| (from.max(since), to.min(until))).filter(|(from, to)| from < to).collect();
            if within.is_empty() {
                continue;
            }
            let vote = match own {
                Some(own) if own == shown => 1,
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
        let is_open = is_open || own.is_some_and(|own| own.field.starts_with("any") || own.field.starts_with("table(allow)"));
        let alive = if intervals.is_empty() { alive } else { &own_stretches };
        if alive.is_empty() {
            return;
        }
        for child in own_children(kind, node, path) {
            self.node(kind, child, &joined(path, child), (alive, is_open), depth + 1);
        }
    }
}
