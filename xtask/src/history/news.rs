//! What a person has to review after commits were added.

use std::collections::{BTreeMap, BTreeSet};

use cfg_python::Unknown;
use cfg_schema::compiler::chronicle::Commit;

use super::{
    decisions::Decisions,
    main_line::Numbers,
    schema_file::{Files, Interval, Like, relative},
    sharing::named,
};
use crate::mirror::{MainLineCommit, Mirror};

/// The collected lines.
#[derive(Default)]
pub(crate) struct News {
    commits: usize,
    /// A line for each schema commit, by its first nine digits.
    schema_commits: Vec<(String, String)>,
    /// The changes at each schema commit.
    changes: BTreeMap<String, Vec<String>>,
    /// What is not understood, with its first commit.
    unknown: Vec<(String, String)>,
    absent: Vec<String>,
    sharing: Vec<String>,
    /// The fields that changed, by what became of them.
    fields: BTreeMap<Sort, BTreeSet<String>>,
}

/// What became of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    New,
    Gone,
    Changed,
    Checks,
}

/// The news in a sentence.
pub(crate) struct Summary {
    commits: usize,
    last_day: String,
    fields: BTreeMap<Sort, BTreeSet<String>>,
}

/// The maximum number of fields that a sentence names of each sort.
const MAX_NAMES: usize = 12;

impl Summary {
    /// A line of the changelog that begins with some words, which the last day follows.
    pub(crate) fn sentence(&self, begin: &str) -> String {
        let mut sentence = format!("{begin}{}, {} more commits", self.last_day, self.commits);
        for (sort, words) in [(Sort::New, "new keys"), (Sort::Gone, "keys that are gone"), (Sort::Changed, "changed keys")] {
            let Some(names) = self.fields.get(&sort) else { continue };
            let shown: Vec<String> = names.iter().take(MAX_NAMES).map(|name| format!("`{name}`")).collect();
            let more = names.len() - shown.len();
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            sentence.push_str(&format!("; {words}: {}{more}", shown.join(", ")));
        }
        sentence + "."
    }
}

impl News {
    pub(crate) fn commit(&mut self, commit: &MainLineCommit, schema: &str) {
        self.commits += 1;
        if !schema.is_empty() {
            let short = commit.sha[..9].to_owned();
            let line = format!("{short} of {}, {schema}: {}", &commit.date[..10], commit.subject);
            self.schema_commits.push((short, line));
        }
    }

    pub(crate) fn not_understood(&mut self, commit: &str, unknown: &BTreeSet<Unknown>) {
        for one in unknown.iter().map(ToString::to_string) {
            if !self.unknown.iter().any(|(_, known)| *known == one) {
                self.unknown.push((commit[..9].to_owned(), one));
            }
        }
    }

    pub(crate) fn verifiers_moved(&mut self, commit: &str, to: Option<&str>, mirror: &mut Mirror) {
        let Some(to) = to.filter(|to| !mirror.has_verifiers(to)) else { return };
        self.absent.push(format!("{} names the verifiers {to}, which the clone does not have", &commit[..9]));
    }

    pub(crate) fn parted(&mut self, parted: &[Like]) {
        let line = |place| format!("{} no longer has the fields of another: they are written out", named(place));
        self.sharing.extend(parted.iter().map(line));
    }

    pub(crate) fn shared(&mut self, files: &Files, shared: &[Like]) {
        for place in shared {
            if let Some(like) = files[place.0].entries.get(&place.1).and_then(|entry| entry.like.as_ref()) {
                self.sharing.push(format!("{} has the fields of {}", named(place), named(like)));
            }
        }
    }

    /// Adds the fields that are new, removed or changed since a schema commit. `moved` are the keys with an entry in `moves.toml`.
    pub(crate) fn fields(&mut self, files: &Files, first: u16, numbers: &Numbers, moved: &BTreeSet<String>) {
        for (kind, file) in files.iter().enumerate() {
            let mut whole: Vec<(u16, bool, &str)> = Vec::new();
            for (path, entry) in &file.entries {
                let place = named(&(kind, path.clone()));
                let is_moved = moved.contains(&place);
                let gone = if is_moved { "is gone; moves.toml has it" } else { "is gone, and moves.toml does not have it" };
                let mut changes = Vec::new();
                for (index, interval) in entry.intervals.iter().enumerate() {
                    let (before, after) =
                        (index.checked_sub(1).and_then(|at| entry.intervals.get(at)), entry.intervals.get(index + 1));
                    match before.filter(|before| before.until == Some(interval.since)) {
                        Some(before) => {
                            let (sort, words) = difference(before, interval);
                            changes.push((interval.since, sort, words));
                        }
                        None if is_whole(&mut whole, interval.since, true, path) => {
                            changes.push((interval.since, Sort::New, format!("is new: {}", first_line(interval))));
                        }
                        None => {}
                    }
                    if let Some(until) = interval.until.filter(|until| after.is_none_or(|after| after.since != *until))
                        && is_whole(&mut whole, until, false, path)
                    {
                        changes.push((until, Sort::Gone, gone.to_owned()));
                    }
                }
                for (number, sort, words) in changes.into_iter().filter(|(number, ..)| *number >= first) {
                    self.fields.entry(sort).or_default().insert(place.clone());
                    self.changes.entry(numbers.commit(number).to_owned()).or_default().push(format!("{place} {words}"));
                }
            }
        }
    }

    pub(crate) fn lines(self) -> Vec<String> {
        let mut lines = vec![format!("{} new commits, {} of them schema commits", self.commits, self.schema_commits.len())];
        for (commit, line) in self.schema_commits {
            lines.push(line);
            let changes = self.changes.get(&commit).into_iter().flatten();
            lines.extend(changes.map(|change| format!("  {change}")));
        }
        let mut section = |title: &str, all: Vec<String>| {
            if !all.is_empty() {
                lines.push(title.to_owned());
                lines.extend(all.into_iter().map(|line| format!("  {line}")));
            }
        };
        section("Shared fields:", self.sharing);
        lines
    }

    /// What could not be read.
    pub(crate) fn open(&self) -> Decisions {
        let mut list = Decisions::default();
        let unknown = self.unknown.iter().map(|(at, what)| format!("{at}: {what}")).collect();
        list.add("Python that is not understood, and left open: a form in crates/cfg-python, or nothing", unknown);
        let title = "Packages that are not at hand, whose classes are taken from the history: bring the clone up to date, or pass `SITE` to \
                     `history add`";
        list.add(title, self.absent.clone());
        list
    }

    /// The news in a sentence, given the main line with them.
    pub(crate) fn summary(&self, main_line: &[Commit]) -> Summary {
        let last_day = main_line.last().map(|commit| commit.day.clone()).unwrap_or_default();
        Summary { commits: self.commits, last_day, fields: self.fields.clone() }
    }
}

fn first_line(interval: &Interval) -> &str {
    interval.body.lines().next().unwrap_or_default()
}

fn difference(before: &Interval, after: &Interval) -> (Sort, String) {
    let (old, new) = (first_line(before), first_line(after));
    if old == new {
        (Sort::Checks, "has other validators".to_owned())
    } else {
        (Sort::Changed, format!("changed: {old} -> {new}"))
    }
}

/// Whether a field is new or removed without the table around it.
fn is_whole<'p>(whole: &mut Vec<(u16, bool, &'p str)>, number: u16, is_new: bool, path: &'p str) -> bool {
    let is_part = whole.iter().any(|(at, new, above)| (*at, *new) == (number, is_new) && relative(path, above).is_some());
    if !is_part {
        whole.push((number, is_new, path));
    }
    !is_part
}
