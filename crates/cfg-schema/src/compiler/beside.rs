//! The fields of a prime-rl of the main line combined with other versions of its packages than it used itself, and the parts of them that are
//! unknown.

use std::collections::{BTreeMap, BTreeSet};

use crate::hash::HashMap;
use crate::{History, Kind, Node, Point};

use crate::compiler::{
    Field, Interval, Seam, Type, body, changed_checks, is_used_alike, node_at,
    packages::{point_with, seams_at},
    recorded,
    recorded::{line, step},
};

/// What such a combination accepts.
#[derive(Debug, Default)]
pub struct Beside {
    /// The fields by kind, in the order of [`KINDS`](crate::compiler::KINDS); they hold at all points.
    pub kinds: Vec<Vec<Field>>,
    /// By kind and path: why the type of a field, or the further keys of a table, are unknown.
    pub open: BTreeMap<(usize, String), String>,
}

/// The import name of a package, and its commit or version.
pub type Pin = (&'static str, String);

/// What replaces the classes of the original point at a place.
#[derive(Clone)]
enum Instead {
    /// The fields that are recorded at another point, which used the given packages.
    Recorded(Point),
    /// Unknown, with the reason.
    Open(&'static str),
}

/// What prime-rl accepts at a point if it is combined with these packages. `None` if the fields of the point itself apply: it used the same
/// packages, or they declare the same fields.
pub fn beside(point: Point, pins: &[Pin]) -> Option<Beside> {
    let used: Vec<(&Pin, Option<Point>)> = pins.iter().map(|pin| (pin, point_with(pin.0, &pin.1, point))).collect();
    if used.iter().all(|(_, other)| *other == Some(point)) {
        return None;
    }
    let mut walk = Walk { point, changed: HashMap::default(), places: HashMap::default(), kind: 0, made: Beside::default() };
    let seams = seams_at(point);
    for (kind, path, seam) in &seams {
        let Some(node) = node_at(History::built_in().root(Kind::ALL[*kind]), path) else { continue };
        let Some((pin, instead)) = walk.instead(seam, *kind, path, node, &used) else { continue };
        let is_outer = seams.iter().any(|(of, inner, _)| of == kind && inner.strip_prefix(path.as_str()).is_some_and(is_inner));
        walk.places.insert(node.id(), PackagePlace { own: seam.own.clone(), is_outer, pin, instead });
    }
    if walk.places.is_empty() {
        return None;
    }
    for (kind, of) in Kind::ALL.into_iter().enumerate() {
        walk.kind = kind;
        walk.made.kinds.push(Vec::new());
        walk.node(History::built_in().root(of), "");
    }
    Some(walk.made)
}

/// Whether the rest of a path stays within the same field: `[]`, `<type=x>`.
fn is_inner(behind: &str) -> bool {
    matches!(behind, "[]" | ".*") || (behind.starts_with('<') && behind.ends_with('>'))
}

/// A place at which classes of packages are used, and which is replaced.
#[derive(Clone)]
struct PackagePlace {
    /// The fields that the class at this place declares itself, if it is a class of prime-rl whose bases are from packages.
    own: Vec<String>,
    /// Whether it is an array, a map or a union whose contents have places of their own.
    is_outer: bool,
    /// The package, with its commit or version.
    pin: String,
    instead: Instead,
}

struct Walk {
    point: Point,
    /// By other point: the checks whose code differs from the original point.
    changed: HashMap<Point, BTreeSet<&'static str>>,
    /// The places by node number, because fields that several kinds share are the same node.
    places: HashMap<u32, PackagePlace>,
    kind: usize,
    made: Beside,
}

impl Walk {
    /// The package of the classes at a place, and what replaces them; `None` if they are the same.
    fn instead(
        &mut self,
        seam: &Seam,
        kind: usize,
        path: &str,
        node: Node,
        used: &[(&Pin, Option<Point>)],
    ) -> Option<(String, Instead)> {
        let of = |name: &String| used.iter().find(|((package, _), _)| name.split('.').next() == Some(package));
        let points: Vec<Option<Point>> = seam.names.iter().map(|name| of(name).map_or(Some(self.point), |(_, at)| *at)).collect();
        if points.iter().all(|other| *other == Some(self.point)) {
            return None;
        }
        let ((package, pin), _) = seam.names.iter().find_map(of)?;
        let pin = format!("{package} {}", pin.get(..9).filter(|_| pin.len() == 40).unwrap_or(pin));
        let other = match points.first().copied().flatten() {
            Some(first) if points.iter().all(|other| *other == Some(first)) => first,
            _ => return Some((pin, Instead::Open("is not known"))),
        };
        if !is_used_alike(seam, kind, path, other) {
            return Some((pin, Instead::Open("is not known in combination with such a prime-rl")));
        }
        let of_package = |point: Point| {
            let fields = recorded(node, point, path).into_iter().map(|(_, field)| field);
            let is_of_prime_rl = |field: &Field| {
                let below = field.path.strip_prefix(path).map(|below| below.trim_start_matches('.')).unwrap_or_default();
                let name = below.split(['.', '[', '<']).next().unwrap_or_default();
                !seam.own.is_empty() && (below.is_empty() || seam.own.iter().any(|own| own == name))
            };
            let fields = fields.filter(|field| !is_of_prime_rl(field));
            fields.map(|field| (field.path, field.intervals.first().map(body))).collect::<Vec<_>>()
        };
        let is_same = of_package(other) == of_package(self.point) && self.changed(other).is_empty();
        (!is_same).then_some((pin, Instead::Recorded(other)))
    }

    /// The checks whose code at another point differs from the original point.
    fn changed(&mut self, other: Point) -> &BTreeSet<&'static str> {
        self.changed.entry(other).or_insert_with(|| changed_checks(self.point, other))
    }

    /// Whether a node has a check whose code at another point differs from the original point.
    fn has_other_checks(&mut self, node: Node, other: Point) -> bool {
        let Some(interval) = node.at(other).filter(|_| other != self.point) else { return false };
        let changed = self.changed(other);
        let functions = interval.field_type().functions().map(|name| name.rsplit(':').next().unwrap_or(name));
        let checks = interval.validators().map(|(_, name)| name.split('(').next().unwrap_or(name));
        checks.chain(functions).any(|name| changed.contains(name))
    }

    fn push(&mut self, field: Option<Field>) {
        self.made.kinds[self.kind].extend(field);
    }

    fn leave_open(&mut self, path: &str, pin: &str, why: &str) {
        self.made.open.insert((self.kind, path.to_owned()), format!("{pin}, which this project uses, {why}"));
    }

    /// Adds a node of the original point with everything below it.
    fn node(&mut self, node: Node, path: &str) {
        let is_there = node.at(self.point).is_some() || (!path.is_empty() && node.intervals().next().is_none());
        if !is_there {
            return;
        }
        if let Some(place) = self.places.get(&node.id()).cloned() {
            return self.place(node, path, &place);
        }
        self.push(line(node, self.point, path));
        for child in node.children() {
            // There is no dot after the root.
            self.node(child, step(path, child).trim_start_matches('.'));
        }
    }

    fn place(&mut self, node: Node, path: &str, place: &PackagePlace) {
        let is_whole = place.own.is_empty() && !place.is_outer;
        match &place.instead {
            Instead::Recorded(other) if is_whole => return self.recorded(node, *other, path, &place.pin),
            Instead::Open(why) if is_whole => {
                let open = line(node, self.point, path).map(|field| changed(field, any));
                self.push(open);
                return self.leave_open(path, &place.pin, why);
            }
            Instead::Recorded(other) if place.is_outer && !self.has_other_checks(node, *other) => {
                self.push(line(node, *other, path));
            }
            Instead::Recorded(other) if !self.has_other_checks(node, *other) => self.push(line(node, self.point, path)),
            instead => {
                let open = line(node, self.point, path).map(|field| changed(field, with_others));
                self.push(open);
                if !place.is_outer {
                    let why = if let Instead::Open(why) = instead { why } else { OTHER_CHECK };
                    self.leave_open(path, &place.pin, why);
                }
            }
        }
        for child in node.children() {
            let below = step(path, child);
            let is_own = place.is_outer || child.field_name().is_some_and(|name| place.own.iter().any(|own| own == name));
            match place.instead {
                _ if is_own => self.node(child, &below),
                Instead::Recorded(other) => self.recorded(child, other, &below, &place.pin),
                Instead::Open(_) => {}
            }
        }
    }

    /// Adds the fields that are recorded for a node and everything below it at another point. Where a check has unknown code, any value is accepted.
    fn recorded(&mut self, node: Node, other: Point, path: &str, pin: &str) {
        let mut open: Vec<String> = Vec::new();
        let is_below =
            |path: &str, above: &String| path.strip_prefix(above.as_str()).is_some_and(|rest| rest.starts_with(['.', '[', '<']));
        for (node, field) in recorded(node, other, path) {
            if open.iter().any(|above| is_below(&field.path, above)) {
                continue;
            }
            if self.has_other_checks(node, other) {
                open.push(field.path.clone());
                self.leave_open(&field.path, pin, OTHER_CHECK);
                let is_table = matches!(field.intervals[0].ty.base.as_str(), "table" | "variant");
                self.push(Some(changed(field, if is_table { with_others } else { any })));
            } else {
                self.push(Some(field));
            }
        }
    }
}

const OTHER_CHECK: &str = "has an unknown check";

fn changed(mut field: Field, change: fn(&mut Interval)) -> Field {
    field.intervals.iter_mut().for_each(change);
    field
}

/// Changes a field to accept any value.
fn any(interval: &mut Interval) {
    let open = Interval::plain(Type { base: "any".to_owned(), ..Type::default() });
    let Interval { required, hidden, aliases, .. } = std::mem::replace(interval, open);
    (interval.required, interval.hidden, interval.aliases) = (required, hidden, aliases);
}

/// Changes a table to accept any further keys. Only its `before` validators are kept; what the others check is unknown.
fn with_others(interval: &mut Interval) {
    fn open(ty: &mut Type) {
        if ty.policy.is_some() {
            ty.policy = Some("allow".to_owned());
        }
        ty.members.iter_mut().for_each(open);
    }
    open(&mut interval.ty);
    interval.validators.retain(|(mode, _)| mode == "before");
}

#[cfg(test)]
mod tests {
    use crate::{History, Kind, Point, Target};

    use super::{Beside, beside};
    use crate::compiler::{KINDS, compile, differences, listing};

    fn point(name: &str) -> Point {
        Target::parse(History::built_in(), name).expect("a commit of the history").point
    }

    fn with(at: Point, package: &'static str, pin: &str) -> Option<Beside> {
        beside(at, &[(package, pin.to_owned())])
    }

    /// The differences from the point, by kind and path.
    fn changed(at: Point, made: &Beside) -> Vec<(Kind, String)> {
        let history = compile(&made.kinds, &[], at).expect("it fits together");
        differences(history, at).into_iter().map(|one| (one.kind, one.path)).collect()
    }

    #[test]
    fn the_pinned_package_leaves_the_recorded_schema_unchanged() {
        for (name, pin) in [("f5946b098", "b13ba60da63cea91389e7575766b7270d0d11fc5"), ("f5946b098", "b13ba60")] {
            assert!(with(point(name), "verifiers", pin).is_none());
        }
        // A point before prime-rl used any class of the package is not affected.
        for package in ["verifiers", "renderers"] {
            assert!(with(point("0.4.0"), package, "0.0.1").is_none());
        }
        // A field that is the same at both points is written unchanged.
        let (at, other) = (point("f5946b098"), "0.0.1");
        let made = with(at, "renderers", other).expect("it is not known");
        let known = listing(History::built_in(), at);
        let history = compile(&made.kinds, &[], at).expect("it fits together");
        let now = listing(history, Point(0));
        let is_of_renderer = |line: &&String| line.contains("renderer");
        let rest = |lines: &[String]| lines.iter().filter(|line| !is_of_renderer(line)).cloned().collect::<Vec<_>>();
        assert_eq!(rest(&known), rest(&now));
    }

    #[test]
    fn unknown_classes_of_a_package_are_unknown_in_every_kind() {
        let at = point("f5946b098");
        let made = with(at, "verifiers", "0.0.1").expect("it is not known");
        let open: Vec<(&str, &str)> = made.open.keys().map(|(kind, path)| (KINDS[*kind], path.as_str())).collect();
        for place in [("orchestrator", "train.env[]"), ("rl", "orchestrator.train.env[]"), ("orchestrator", "eval.env[]")] {
            assert!(open.contains(&place), "{place:?}: {open:?}");
        }
        let why = made.open.values().next().expect("there is one");
        assert_eq!(why, "verifiers 0.0.1, which this project uses, is not known");
        // Fields that prime-rl declares itself are unchanged.
        let all = &made.kinds[KINDS.iter().position(|kind| *kind == "orchestrator").expect("a kind")];
        let has = |path: &str| all.iter().any(|field| field.path == path);
        assert!(has("train.env[].group_size") && !has("train.env[].id"), "its own keys and no others");
        assert!(compile(&made.kinds, &[], at).is_ok());
    }

    #[test]
    fn classes_of_a_package_replace_only_their_own_fields() {
        let (at, later) = (point("f5946b098"), point("9b944591c"));
        let pin = "b13ba60da63cea91389e7575766b7270d0d11fc5";
        assert!(later > at);
        let made = with(later, "verifiers", pin).expect("it has other fields");
        let places = ["env", "source", "eval", "taskset", "harness"];
        for (kind, path) in changed(later, &made) {
            assert!(places.iter().any(|place| path.contains(place)), "{kind} {path}");
        }
    }
}
