//! The revisions of the functions in prime-rl's classes that affect what is accepted: which code each function had at which commit. `cargo xtask
//! history revisions` writes them.

use std::collections::{HashMap, HashSet};

use crate::{History, Kind, Node, Point};

/// Lines of `CLASS NAME REVISION SINCE..UNTIL` with schema commits.
const RECORDED: &str = include_str!("../../../../schemas/revisions.tsv");

/// The revisions at a point: class, name and hash, of validators, of other functions of classes and, without a class, of functions in types.
/// Several classes may have the same name.
pub fn revisions_at(point: Point) -> HashSet<(&'static str, &'static str, u64)> {
    let history = History::built_in();
    let points: HashMap<String, Point> =
        (0..=history.newest().0).filter_map(|index| Some((history.commit_of(Point(index))?.short_sha(), Point(index)))).collect();
    revisions()
        .filter(|(.., since, until)| holds(&points, since, until, point))
        .map(|(class, name, revision, ..)| (class, name, revision))
        .collect()
}

/// The validators of all classes at a point, as the history lists them: by mode and name, with the fields in brackets if they are of fields.
pub fn validators_at(point: Point) -> HashSet<(&'static str, &'static str)> {
    fn go(node: Node, point: Point, seen: &mut HashSet<u32>, found: &mut HashSet<(&'static str, &'static str)>) {
        if seen.insert(node.id()) {
            found.extend(node.at(point).into_iter().flat_map(crate::Interval::validators));
            node.children().for_each(|child| go(child, point, seen, found));
        }
    }
    let (mut seen, mut found) = (HashSet::new(), HashSet::new());
    Kind::ALL.into_iter().for_each(|kind| go(History::built_in().root(kind), point, &mut seen, &mut found));
    found
}

/// The revisions at all points.
pub(crate) fn revisions_ever() -> HashSet<(&'static str, &'static str, u64)> {
    revisions().map(|(class, name, revision, ..)| (class, name, revision)).collect()
}

fn holds(points: &HashMap<String, Point>, since: &str, until: &str, point: Point) -> bool {
    let has_begun = points.get(since).is_some_and(|since| *since <= point);
    has_begun && (until.is_empty() || points.get(until).is_some_and(|until| point < *until))
}

fn revisions() -> impl Iterator<Item = (&'static str, &'static str, u64, &'static str, &'static str)> {
    RECORDED.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut cells = line.split('\t');
        let (class, name, revision, range) = (cells.next()?, cells.next()?, cells.next()?, cells.next()?);
        let (since, until) = range.split_once("..")?;
        Some((class, name, u64::from_str_radix(revision, 16).ok()?, since, until))
    })
}

#[cfg(test)]
mod tests {
    use crate::{History, Kind, Node, Point};

    use super::revisions_at;

    /// Collects the names of the validators of a table, and of everything below it, at a point.
    fn names(node: Node, point: Point, depth: usize, found: &mut std::collections::BTreeSet<String>) {
        // The classes of the renderers package are recorded only in part.
        if node.field_name() == Some("renderer") {
            return;
        }
        let Some(interval) = node.at(point).filter(|_| depth > 0) else {
            if depth > 0 && node.intervals().next().is_none() {
                node.children().for_each(|child| names(child, point, depth - 1, found));
            }
            return;
        };
        let plain = |name: &str| name.split('(').next().unwrap_or_default().to_owned();
        found.extend(interval.validators().map(|(_, name)| plain(name)));
        node.children().for_each(|child| names(child, point, depth - 1, found));
    }

    #[test]
    fn each_validator_of_the_history_has_a_revision() {
        let history = History::built_in();
        for index in (0..=history.newest().0).step_by(40).chain([history.newest().0]) {
            let point = Point(index);
            let known = revisions_at(point);
            let mut found = std::collections::BTreeSet::new();
            Kind::ALL.into_iter().for_each(|kind| names(history.root(kind), point, 6, &mut found));
            let missing: Vec<&String> = found.iter().filter(|name| !known.iter().any(|(_, own, _)| own == name)).collect();
            assert!(missing.is_empty(), "at {point:?} `cargo xtask history revisions` has not been run: {missing:?}");
        }
    }
}
