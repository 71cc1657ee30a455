//! Tables with `fields of KIND:PATH`, because everything below them equals that of another table.
//!
//! Sharing is also a decision: such fields are described once, for both tables. So the sharing that a file states is kept as long as it is true, and
//! only new tables are compared with others.

use std::collections::BTreeMap;

use cfg_schema::compiler::KINDS;

use super::{
    rows::{Rows, same},
    schema_file::{Entry, File, Files, Interval, Like, joined, relative},
};

/// The minimum number of fields of a table that shares them.
const FEWEST: usize = 4;

/// The order in which kinds are processed: an rl config refers to those that the others define.
const ORDER: [usize; KINDS.len()] = [1, 2, 3, 4, 0, 5, 6, 7, 8];

/// The fields below a path at all points, with shared fields written out, by relative path.
type Below = BTreeMap<String, Vec<Interval>>;

/// The fields below an entry.
pub(crate) fn below(files: &Files, kind: usize, path: &str) -> Below {
    let Some(entry) = files[kind].entries.get(path) else { return Below::new() };
    if let Some((kind, donor)) = &entry.like {
        return clipped(below(files, *kind, donor), &entry.life());
    }
    let mut found = Below::new();
    for (other, entry) in &files[kind].entries {
        let Some(own) = relative(other, path) else { continue };
        if entry.like.is_some() {
            found.extend(below(files, kind, other).into_iter().map(|(inner, intervals)| (format!("{own}{inner}"), intervals)));
        }
        found.insert(own, entry.intervals.clone());
    }
    found
}

/// The parts of these fields within some ranges.
fn clipped(whole: Below, life: &[(u16, u16)]) -> Below {
    let clip = |intervals: Vec<Interval>| {
        let mut clipped: Vec<Interval> = Vec::new();
        for interval in &intervals {
            for (from, to) in life {
                let (since, end) = (interval.since.max(*from), interval.end().min(*to));
                if since >= end {
                    continue;
                }
                let until = Some(end).filter(|end| *end != u16::MAX);
                match clipped.last_mut() {
                    Some(last) if last.until == Some(since) && last.body == interval.body => last.until = until,
                    _ => clipped.push(Interval { since, until, body: interval.body.clone() }),
                }
            }
        }
        clipped
    };
    let each = whole.into_iter().map(|(path, intervals)| (path, clip(intervals)));
    each.filter(|(_, intervals)| !intervals.is_empty()).collect()
}

/// The fields at a schema commit.
pub(crate) fn rows_at(files: &Files, number: u16) -> Vec<Rows> {
    let holds = |interval: &&Interval| interval.since <= number && number < interval.end();
    let each = (0..files.len()).map(|kind| {
        let root = files[kind].entries.get("").map(|entry| entry.intervals.clone()).unwrap_or_default();
        let fields = below(files, kind, "").into_iter().map(|(path, intervals)| (joined("", &path), intervals));
        let all = std::iter::once((String::new(), root)).chain(fields);
        all.filter_map(|(path, intervals)| Some((path, intervals.iter().find(holds)?.body.clone()))).collect()
    });
    each.collect()
}

/// Whether a path is below a table that shares its fields.
pub(crate) fn is_shared(file: &File, path: &str) -> bool {
    file.entries.iter().any(|(above, entry)| entry.like.is_some() && relative(path, above).is_some())
}

/// Writes out the fields of tables that no longer equal those of another; `later` are the rows of the new commits. Returns their paths.
pub(crate) fn part(files: &mut Files, later: &[Vec<Rows>]) -> Vec<Like> {
    let mut parted = Vec::new();
    loop {
        let all = files.iter().enumerate().flat_map(|(kind, file)| {
            file.entries.iter().filter_map(move |(path, entry)| Some((kind, path.clone(), entry.like.clone()?)))
        });
        let differs = |rows: &Vec<Rows>, kind: usize, path: &str, (other, donor): &Like| {
            rows[kind].contains_key(path) && !equal_rows(&rows_below(&rows[kind], path), &rows_below(&rows[*other], donor))
        };
        let next = all.into_iter().find(|(kind, path, like)| later.iter().any(|rows| differs(rows, *kind, path, like)));
        let Some((kind, path, (other, donor))) = next else { return parted };
        let life = files[kind].entries[&path].life();
        // Tables below the other one that share fields keep doing so.
        let mut entries = Vec::new();
        for (place, entry) in &files[other].entries {
            let Some(own) = relative(place, &donor) else { continue };
            let intervals =
                clipped(Below::from([(String::new(), entry.intervals.clone())]), &life).remove("").unwrap_or_default();
            if !intervals.is_empty() {
                entries.push((joined(&path, &own), Entry { intervals, like: entry.like.clone() }));
            }
        }
        files[kind].entries.extend(entries);
        if let Some(entry) = files[kind].entries.get_mut(&path) {
            entry.like = None;
        }
        parted.push((kind, path));
    }
}

fn rows_below<'r>(rows: &'r Rows, path: &str) -> BTreeMap<String, &'r str> {
    rows.iter().filter_map(|(other, body)| Some((relative(other, path)?, body.as_str()))).collect()
}

fn equal_rows(one: &BTreeMap<String, &str>, other: &BTreeMap<String, &str>) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|((path, body), (theirs, of_them))| path == theirs && same(body, of_them))
}

/// The earlier decision for each path: the table whose fields it shares, or none.
pub(crate) type Decided = BTreeMap<(usize, String), Option<Like>>;

/// The decisions in the files.
pub(crate) fn decided(files: &Files) -> Decided {
    let entries = files.iter().enumerate().flat_map(|(kind, file)| file.entries.iter().map(move |entry| (kind, entry)));
    entries.map(|(kind, (path, entry))| ((kind, path.clone()), entry.like.clone())).collect()
}

/// Makes each table that is new since a schema commit share the fields of another one, if they are equal. Returns their paths.
pub(crate) fn share(files: &mut Files, first: u16, decided: &Decided) -> Vec<Like> {
    let mut shared = Vec::new();
    for kind in ORDER {
        let paths: Vec<String> = files[kind].entries.keys().cloned().collect();
        for path in paths {
            // The entry may be gone with the table above it.
            let Some(entry) = files[kind].entries.get(&path).filter(|entry| entry.like.is_none()) else { continue };
            let (own, life) = (below(files, kind, &path), entry.life());
            if own.values().flatten().any(|interval| interval.since < first) || is_shared(&files[kind], &path) {
                continue;
            }
            let table = Table { kind, path: &path, own, life };
            let donor = match decided.get(&(kind, path.clone())) {
                Some(None) => None,
                Some(Some(before)) => Some(before.clone()).filter(|(kind, donor)| table.has_fields_of(files, *kind, donor)),
                None if table.own.len() < FEWEST => None,
                None => table.donor(files, first),
            };
            let Some(donor) = donor else { continue };
            files[kind].entries.retain(|other, _| relative(other, &path).is_none());
            if let Some(entry) = files[kind].entries.get_mut(&path) {
                entry.like = Some(donor);
            }
            shared.push((kind, path));
        }
    }
    shared
}

/// A table that may share the fields of another.
struct Table<'t> {
    kind: usize,
    path: &'t str,
    own: Below,
    life: Vec<(u16, u16)>,
}

impl Table<'_> {
    /// Of several tables, the one that has existed the longest.
    fn donor(&self, files: &Files, first: u16) -> Option<Like> {
        let place = |kind: usize| ORDER.iter().position(|other| *other == kind);
        let own_place = (place(self.kind), self.path);
        let mut found: Option<(u16, Like)> = None;
        for kind in ORDER {
            for (path, entry) in &files[kind].entries {
                let since = entry.intervals.first().map_or(u16::MAX, |interval| interval.since);
                let is_earlier = since < first || (place(kind), path.as_str()) < own_place;
                if is_earlier && found.as_ref().is_none_or(|(best, _)| since < *best) && self.has_fields_of(files, kind, path) {
                    found = Some((since, (kind, path.clone())));
                }
            }
        }
        found.map(|(_, like)| like)
    }

    fn has_fields_of(&self, files: &Files, kind: usize, path: &str) -> bool {
        let Some(entry) = files[kind].entries.get(path).filter(|entry| entry.like.is_none()) else { return false };
        let Some(first) = self.own.keys().next() else { return false };
        let is_around = kind == self.kind
            && (path == self.path || relative(path, self.path).is_some() || relative(self.path, path).is_some());
        let their_life = entry.life();
        let covers = self.life.iter().all(|(from, to)| their_life.iter().any(|(since, end)| since <= from && to <= end));
        // Most tables don't even have its first field.
        if is_around || !covers || !files[kind].entries.contains_key(&joined(path, first)) || is_shared(&files[kind], path) {
            return false;
        }
        let theirs = clipped(below(files, kind, path), &self.life);
        let is_same = |(own, other): (&Interval, &Interval)| {
            own.since == other.since && own.until == other.until && same(&own.body, &other.body)
        };
        theirs.len() == self.own.len()
            && self.own.iter().zip(&theirs).all(|((path, own), (other, of_them))| {
                path == other && own.len() == of_them.len() && own.iter().zip(of_them).all(is_same)
            })
    }
}

/// The text of a kind and path.
pub(crate) fn named((kind, path): &Like) -> String {
    format!("{}:{}", KINDS[*kind], if path.is_empty() { "(root)" } else { path })
}
