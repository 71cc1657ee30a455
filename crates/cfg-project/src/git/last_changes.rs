//! When the contents of a repository's configs were last changed. A commit that only renames a file does not make its content newer.
//!
//! git is asked once for all of a repository, when the first config needs its day: starting it takes longer than reading the answer.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use cfg_system::{System, git::Tracked};

use super::answer;
use crate::may_be_config;

/// The number of commits that are read first, of those that change TOML files. Most repositories have fewer.
const NEAR: usize = 256;

/// The maximum number of commits that are read.
const MAX_COMMITS: usize = 50_000;

/// The last changes in the repositories of the configs, each read when it is first needed.
#[derive(Debug, Default)]
pub(crate) struct LastChanges(Mutex<HashMap<PathBuf, Arc<OfRepository>>>);

/// The last changes in one repository.
#[derive(Debug, Default)]
struct OfRepository {
    tracked: OnceLock<Option<Tracked>>,
    near: OnceLock<Days>,
    all: OnceLock<Days>,
}

/// The days (`2026-01-06`) of the last changes, by paths relative to the root of the repository.
#[derive(Debug, Default, PartialEq, Eq)]
struct Days {
    by_path: HashMap<String, String>,
    /// Whether all commits were read.
    is_all: bool,
}

impl LastChanges {
    /// The day of the last commit that changed the file at this path in the repository whose root is `top`; `None` if git has none.
    pub(crate) fn day(&self, system: &dyn System, top: &Path, file: &Path) -> Option<String> {
        let path = file.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
        let known = {
            let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(known.entry(top.to_owned()).or_default())
        };
        let is_today = system.revision().is_none();
        let tracked = known.tracked.get_or_init(|| is_today.then(|| Tracked::read(system, top, &may_be_config)).flatten());
        if tracked.as_ref().is_some_and(|tracked| !tracked.has(file)) {
            return None;
        }
        let near = known.near.get_or_init(|| read(system, top, NEAR));
        if near.by_path.contains_key(&path) || near.is_all {
            return near.by_path.get(&path).cloned();
        }
        known.all.get_or_init(|| read(system, top, MAX_COMMITS)).by_path.get(&path).cloned()
    }
}

/// The last changes in the newest commits.
fn read(system: &dyn System, top: &Path, most: usize) -> Days {
    let most_commits = format!("--max-count={most}");
    let words = [
        // The path is a pattern.
        "--no-literal-pathspecs",
        "log",
        "-z",
        "--no-notes",
        "--no-ext-diff",
        "--no-textconv",
        "--find-renames=100%",
        "--name-status",
        "--date=format-local:%Y-%m-%d",
        "--format=%x01%cd%x02",
        &most_commits,
        super::revision_of(system, top),
        "--",
        "*.toml",
    ];
    let answer = answer(system, top, words, None).unwrap_or_default();
    let text = String::from_utf8_lossy(&answer);
    let mut history = Backwards::default();
    let mut count = 0;
    for (day, changes) in commits(&text) {
        count += 1;
        history.commit(day, &changes);
    }
    Days { by_path: history.days, is_all: count < most }
}

/// A history that is read from its newest commit to its first.
#[derive(Default)]
struct Backwards {
    days: HashMap<String, String>,
    /// The files that had an earlier name at the commit that was read last, by this name: the names that they have now.
    now: HashMap<String, Vec<String>>,
    /// The files whose last change was not found yet, though their present name appeared: before that, another file had the name.
    moved: HashSet<String>,
}

impl Backwards {
    fn commit(&mut self, day: &str, changes: &[Change<'_>]) {
        // What a commit moves had its earlier name only before it.
        let mut before: Vec<(&str, Vec<String>)> = Vec::new();
        for change in changes {
            match change {
                Change::Content(path) => {
                    for name in self.names(path) {
                        self.days.entry(name).or_insert_with(|| day.to_owned());
                    }
                }
                Change::Name { old, new } => before.push((old, self.names(new))),
            }
        }
        for (old, names) in before {
            self.moved.extend(names.iter().cloned());
            self.now.entry(old.to_owned()).or_default().extend(names);
        }
    }

    /// The present names of the files that have this name at the commit, of those whose last change was not found yet.
    fn names(&mut self, path: &str) -> Vec<String> {
        let mut names = self.now.remove(path).unwrap_or_default();
        if !self.moved.contains(path) && !self.days.contains_key(path) {
            names.push(path.to_owned());
        }
        names
    }
}

/// A change of a file in a commit.
enum Change<'t> {
    /// It was added or changed, or it was removed.
    Content(&'t str),
    /// It was renamed, and nothing else.
    Name { old: &'t str, new: &'t str },
}

/// The commits of an answer: the day of each, and its changes.
fn commits(answer: &str) -> impl Iterator<Item = (&str, Vec<Change<'_>>)> {
    answer.split('\u{1}').filter_map(|commit| {
        let (day, rest) = commit.split_once('\u{2}')?;
        let mut parts = rest.split('\0').map(|part| part.trim_start_matches('\n')).filter(|part| !part.is_empty());
        let mut changes = Vec::new();
        while let (Some(status), Some(path)) = (parts.next(), parts.next()) {
            let is_renamed = status.starts_with('R');
            changes.push(if is_renamed { Change::Name { old: path, new: parts.next()? } } else { Change::Content(path) });
        }
        Some((day, changes))
    })
}

#[cfg(test)]
mod tests {
    use super::{Backwards, commits};

    #[test]
    fn files_are_followed_back_through_their_names() {
        let answer = "\u{1}d6\u{2}\0\nM\0a\0\u{1}d5\u{2}\0\nR100\0b\0c\0R100\0x\0y\0\u{1}d4\u{2}\0\nA\0c\0D\0old\0\
                      \u{1}d3\u{2}\0\nR100\0y\0x\0R100\0a\0b\0\u{1}d2\u{2}\0\nM\0a\0A\0y\0\u{1}d1\u{2}\0\nA\0a\0";
        let mut history = Backwards::default();
        commits(answer).for_each(|(day, changes)| history.commit(day, &changes));
        let day = |name: &str| history.days.get(name).map(String::as_str);
        // `c` was `b` and before that the first `a`; `y` was `x` and `y` again.
        assert_eq!((day("a"), day("c"), day("y")), (Some("d6"), Some("d2"), Some("d2")));
    }
}
