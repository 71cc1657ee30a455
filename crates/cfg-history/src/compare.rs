//! How an imported schema differs from the known points, and to which it is nearest.

use std::collections::HashMap;

use cfg_schema::{History, Interval, Kind, Node, Point, Segment};

use crate::notation::in_notation;

/// A field as far as two schemas are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shown {
    /// In the notation of the history.
    field: String,
    /// The names of its table's validators.
    validators: Vec<String>,
}

/// One difference of an imported schema from a known one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The kind whose field it is.
    pub kind: Kind,
    /// Where it stands: `trainer.optim<type=adamw>.lr`.
    pub path: String,
    /// What holds of it at the known point; nothing where it doesn't exist there.
    pub known: Option<String>,
    /// What holds of it in the imported schema.
    pub own: Option<String>,
    /// The validators that only the imported schema has: what they do is not known.
    pub new_validators: Vec<String>,
    /// The validators that only the known schema has.
    pub gone_validators: Vec<String>,
}

type Fields = HashMap<(Kind, String), Shown>;

/// Deeper than any config of prime-rl goes.
const MAX_DEPTH: usize = 40;

/// The known point from which an imported schema differs in the fewest fields, the newest of several, and in how many.
pub fn nearest(imported: History) -> (Point, usize) {
    let own = fields(imported, Point(0));
    let built_in = History::built_in();
    let count = usize::from(built_in.newest().0) + 1;
    let mut votes = Votes { own: &own, score: vec![0; count + 1] };
    for kind in Kind::ALL {
        let all = vec![(0, count)];
        votes.node(kind, built_in.root(kind), "", &all, 0);
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
    let differing = own.len() as i64 - scores.get(best).copied().unwrap_or(0);
    (Point(best as u16), usize::try_from(differing).unwrap_or(0))
}

/// What differs from a known point, by kind and path. What several kinds share is named once, for the component that it belongs to.
pub fn differences(imported: History, point: Point) -> Vec<Difference> {
    let own = fields(imported, Point(0));
    let known = fields(History::built_in(), point);
    let mut places: Vec<&(Kind, String)> = own.keys().chain(known.keys()).collect();
    places.sort_unstable();
    places.dedup();
    let is_component =
        |path: &str| Kind::ALL[1..].iter().any(|kind| path.strip_prefix(kind.name()).is_some_and(|rest| rest.starts_with('.')));
    let mut found = Vec::new();
    for place in places {
        if place.0 == Kind::Rl && is_component(&place.1) {
            continue;
        }
        let (new, old) = (own.get(place), known.get(place));
        if new == old {
            continue;
        }
        // What lies below a table that is new or gone says no more.
        let is_told = |whole: &Fields, other: &Fields| {
            let above = place.1.rfind(['.', '[', '<']).map(|at| &place.1[..at]).filter(|above| !above.is_empty());
            above.is_some_and(|above| {
                let key = (place.0, above.to_owned());
                whole.contains_key(&key) && !other.contains_key(&key)
            })
        };
        if is_told(&own, &known) || is_told(&known, &own) {
            continue;
        }
        let names = |shown: Option<&Shown>| shown.map(|shown| shown.validators.clone()).unwrap_or_default();
        let (new_names, old_names) = (names(new), names(old));
        found.push(Difference {
            kind: place.0,
            path: place.1.clone(),
            known: old.map(|shown| shown.field.clone()),
            own: new.map(|shown| shown.field.clone()),
            new_validators: new_names.iter().filter(|name| !old_names.contains(name)).cloned().collect(),
            gone_validators: old_names.iter().filter(|name| !new_names.contains(name)).cloned().collect(),
        });
    }
    found
}

fn shown(interval: Interval) -> Shown {
    Shown { field: in_notation(interval), validators: interval.validators().map(|(_, name)| name.to_owned()).collect() }
}

/// All fields that exist at a point.
fn fields(history: History, point: Point) -> Fields {
    let mut found = Fields::new();
    for kind in Kind::ALL {
        collect(kind, history.root(kind), String::new(), point, 0, &mut found);
    }
    found
}

fn collect(kind: Kind, node: Node, path: String, point: Point, depth: usize, found: &mut Fields) {
    let interval = node.at(point);
    // An array of variants has no life of its own.
    if (interval.is_none() && node.intervals().next().is_some()) || depth > MAX_DEPTH {
        return;
    }
    for child in node.children() {
        collect(kind, child, joined(&path, child), point, depth + 1, found);
    }
    if let Some(interval) = interval {
        found.insert((kind, path), shown(interval));
    }
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

/// Each field of the history votes for the points at which it is as in the imported schema, and against those at which that doesn't have it.
struct Votes<'f> {
    own: &'f Fields,
    /// By how much the score of a point is above that of the one before it.
    score: Vec<i64>,
}

impl Votes<'_> {
    /// `alive`: the stretches in which the tables above exist, without their ends.
    fn node(&mut self, kind: Kind, node: Node, path: &str, alive: &[(usize, usize)], depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        let mut own_stretches = Vec::new();
        let mut has_intervals = false;
        for interval in node.intervals() {
            has_intervals = true;
            let since = usize::from(interval.since().0);
            let until = interval.until().map_or(usize::MAX, |until| usize::from(until.0));
            let within: Vec<(usize, usize)> =
                alive.iter().map(|&(from, to)| (from.max(since), to.min(until))).filter(|(from, to)| from < to).collect();
            if within.is_empty() {
                continue;
            }
            let vote = match self.own.get(&(kind, path.to_owned())) {
                Some(own) if *own == shown(interval) => 1,
                Some(_) => 0,
                None => -1,
            };
            for &(from, to) in &within {
                self.score[from] += vote;
                self.score[to] -= vote;
            }
            own_stretches.extend(within);
        }
        let alive = if has_intervals { &own_stretches } else { alive };
        if alive.is_empty() {
            return;
        }
        for child in node.children() {
            self.node(kind, child, &joined(path, child), alive, depth + 1);
        }
    }
}
