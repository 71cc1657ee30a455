//! Counts the keys of a config that each point of the history knows.

use cfg_compose::{Table, Value};
use cfg_schema::{History, Interval, Kind, Node, Point, TypeKind};

use super::family::variants;

/// A set of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Points([u64; WORDS]);

/// The number of words, enough for 1024 points; of a longer history, only these are searched.
const WORDS: usize = 16;

impl Points {
    const ALL: Self = Self([u64::MAX; WORDS]);
    const NONE: Self = Self([0; WORDS]);

    fn of(interval: Interval) -> Self {
        let (since, until) = (interval.since().0 as usize, interval.until().map_or(WORDS * 64, |until| until.0 as usize));
        Self::below(until).and(Self(Self::below(since).0.map(|word| !word)))
    }

    /// The points before `end`.
    fn below(end: usize) -> Self {
        Self(std::array::from_fn(|word| match end.saturating_sub(word * 64) {
            0 => 0,
            count @ 1..64 => (1 << count) - 1,
            _ => u64::MAX,
        }))
    }

    fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    fn or(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    /// The first point of each range, and the first point after it.
    fn stretches(self) -> impl Iterator<Item = (usize, usize)> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let start = self.next(at, 0)?;
            let end = self.next(start, u64::MAX).unwrap_or(WORDS * 64);
            at = end;
            Some((start, end))
        })
    }

    /// The first point from `at` on that is in the set; if `mask` is all ones, the first that is not in it.
    fn next(self, at: usize, mask: u64) -> Option<usize> {
        let mut word = at / 64;
        let mut bits = (self.0.get(word)? ^ mask) & (u64::MAX << (at % 64));
        while bits == 0 {
            word += 1;
            bits = self.0.get(word)? ^ mask;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }
}

/// The number of keys of a tree that each point of the history knows.
pub(crate) struct Votes {
    known: Vec<usize>,
    /// The number of keys of the tree.
    pub(crate) keys: usize,
}

/// Counts the keys of a tree that each point of the history knows.
pub(crate) fn votes(history: History, kind: Kind, root: &Table) -> Votes {
    let newest = (history.newest().0 as usize).min(WORDS * 64 - 1);
    let mut count = Count { changes: vec![0; newest + 2], keys: 0 };
    count.table(root, &[history.root(kind)], Points::ALL, Whole::default());
    let known = count.changes.iter().take(newest + 1).scan(0_isize, |known, change| {
        *known += change;
        Some(known.unsigned_abs())
    });
    Votes { known: known.collect(), keys: count.keys }
}

/// The numbers of keys while they are counted.
struct Count {
    /// By how many more each point knows than the one before it.
    changes: Vec<isize>,
    keys: usize,
}

impl Votes {
    /// The number of keys that a point knows.
    pub(crate) fn known_at(&self, point: Point) -> usize {
        self.known.get(point.0 as usize).copied().unwrap_or(0)
    }

    /// The largest number of keys that a point knows.
    pub(crate) fn best(&self) -> usize {
        self.known.iter().copied().max().unwrap_or(0)
    }

    /// The largest number of keys that a point until `last` knows.
    pub(crate) fn best_until(&self, last: Point) -> usize {
        self.known.iter().take(usize::from(last.0) + 1).copied().max().unwrap_or(0)
    }

    /// The first and the last point of each range until `last` that knows this number of keys.
    pub(crate) fn ranges_of(&self, best: usize, last: Point) -> Vec<(Point, Point)> {
        let mut ranges: Vec<(Point, Point)> = Vec::new();
        for (at, known) in (0..=last.0).zip(&self.known) {
            match ranges.last_mut() {
                _ if *known != best => {}
                Some((_, last)) if last.0 + 1 == at => *last = Point(at),
                _ => ranges.push((Point(at), Point(at))),
            }
        }
        ranges
    }
}

/// The points that know a table as a whole.
#[derive(Clone, Copy)]
struct Whole {
    /// Those at which a validator reads it at its old place, with the keys that it had there.
    moved: Points,
    /// Those that leave it to a package, which may have any keys.
    left: Points,
}

impl Default for Whole {
    fn default() -> Self {
        Self { moved: Points::NONE, left: Points::NONE }
    }
}

impl Count {
    /// Counts each key for the points at which any of `nodes` has it, within those at which its table exists, and for those that know the table as a
    /// `whole`.
    fn table(&mut self, table: &Table, nodes: &[Node], within: Points, whole: Whole) {
        for entry in table.entries() {
            let mut fields = Vec::new();
            let mut points = Points::NONE;
            let named = |owner: &Node| {
                let own = owner.field(&entry.key);
                own.into_iter().chain(owner.aliased().filter(move |field| Some(*field) != own))
            };
            for field in nodes.iter().flat_map(named) {
                let Some(name) = field.field_name() else { continue };
                let own = name == &*entry.key;
                let accepts = |interval: &Interval| own || interval.is_alias(&entry.key);
                let accepted =
                    field.intervals().filter(accepts).fold(Points::NONE, |points, interval| points.or(Points::of(interval)));
                if accepted != Points::NONE {
                    points = points.or(accepted);
                    fields.push(field);
                }
            }
            // What a validator still reads at an old place is known there, with everything below it.
            let moved =
                nodes.iter().flat_map(|node| cfg_resolve::old_places(*node)).filter(|(keys, _)| keys.contains(&&*entry.key));
            let moved = moved.fold(Points::NONE, |points, (_, read)| points.or(Points::of(*read))).and(within);
            // A key that no version has in a table which moved is as unknown where that is read as anywhere else.
            let of_whole = if nodes.is_empty() || !fields.is_empty() { whole.moved } else { Points::NONE };
            let moved = moved.or(of_whole).or(whole.left);
            let points = points.and(within).or(moved);
            self.keys += 1;
            for (start, end) in points.stretches() {
                for (at, change) in [(start, 1), (end, -1)] {
                    self.changes.get_mut(at).into_iter().for_each(|known| *known += change);
                }
            }
            if !matches!(&entry.node.value, Value::Table(_) | Value::List(_)) {
                continue;
            }
            // Any key below may be one of the package that has the table's class.
            let mut left = Points::NONE;
            for (owner, field) in nodes.iter().flat_map(|owner| fields.iter().map(move |field| (*owner, *field))) {
                left = cfg_resolve::looked_up(owner, field).fold(left, |points, interval| points.or(Points::of(interval)));
            }
            self.value(&entry.node.value, &fields, points, moved, left.and(points));
        }
    }

    /// Counts the keys below a value for the points that have it; all of them are known at those that read it at an old place, and, if it names its
    /// class, at those that leave it to a package.
    fn value(&mut self, value: &Value, fields: &[Node], within: Points, moved: Points, left: Points) {
        let free = fields.iter().any(|field| field.intervals().any(|interval| interval.field_type().kind() == TypeKind::Dict));
        if free {
            return;
        }
        match value {
            Value::Table(table) => {
                // Any variant may have the key, because it is not known which one is meant.
                let nodes: Vec<Node> = fields.iter().copied().chain(fields.iter().flat_map(|field| variants(*field))).collect();
                let left = if cfg_resolve::names_its_class(table) { left } else { Points::NONE };
                self.table(table, &nodes, within, Whole { moved, left });
            }
            Value::List(items) => {
                let nodes: Vec<Node> = fields.iter().filter_map(|field| field.item()).collect();
                items.iter().for_each(|item| self.value(&item.value, &nodes, within, moved, left));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use cfg_compose::Tree;
    use cfg_diag::FileId;
    use cfg_schema::{History, Kind, Target};
    use cfg_syntax::Dialect;

    use super::{Points, WORDS};

    /// The number of keys of a config, and that of those which the newest known prime-rl has.
    fn counted(text: &str) -> (usize, usize) {
        let history = History::built_in();
        let (document, _) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
        let tree = Tree::of(FileId(0), &document);
        let votes = super::votes(history, Kind::Rl, &tree.root);
        (votes.keys, votes.known_at(history.newest()))
    }

    #[test]
    fn keys_of_a_class_that_a_package_has_are_known() {
        let source = |id: &str| {
            format!(
                "[[orchestrator.train.source]]\nname = \"w\"\n[orchestrator.train.source.env]\n{id}\nplayer.harness.id = \"null\"\n"
            )
        };
        assert_eq!(counted(&source("taskset.id = \"wordle\"")), (10, 10));
        // Without an `id` it is the class of the schema.
        assert_eq!(counted(&source("timeout = {}")), (9, 6));
    }

    #[test]
    fn a_key_that_no_version_has_is_not_known_in_a_table_that_moved() {
        let history = History::built_in();
        let known = |key: &str| {
            let text = format!("[orchestrator.sampling]\n{key} = 1\n");
            let (document, _) = cfg_syntax::parse(FileId(0), &text, Dialect::Toml11);
            let votes = super::votes(history, Kind::Rl, &Tree::of(FileId(0), &document).root);
            ["0.4.0", "0.6.0"].map(|target| votes.known_at(Target::parse(history, target).expect("a release").point))
        };
        assert_eq!(known("temperature"), [3, 3]);
        assert_eq!(known("temp"), [2, 2]);
    }

    #[test]
    fn intervals_cover_exactly_the_set() {
        for (start, end) in [(0, 0), (0, 1), (0, 64), (63, 65), (64, 128), (5, 1000), (1000, WORDS * 64), (0, WORDS * 64)] {
            let set = Points::below(end).and(Points(Points::below(start).0.map(|word| !word)));
            let expected = if start < end { vec![(start, end)] } else { Vec::new() };
            assert_eq!(set.stretches().collect::<Vec<_>>(), expected);
        }
        let two = Points::below(3).or(Points(Points::below(70).0.map(|word| !word)));
        assert_eq!(two.stretches().collect::<Vec<_>>(), [(0, 3), (70, WORDS * 64)]);
    }
}
