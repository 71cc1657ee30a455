//! The ancestors of a commit that is not on the known main line.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use cfg_schema::{Commit, History, Point, Tag, Target};
use cfg_system::System;

use super::{Basis, reference};
use crate::git;

/// What the ancestors of a commit show about it.
#[derive(Clone, Debug)]
pub(crate) enum Past {
    /// A point of the known main line represents it.
    Known(Target, Basis),
    /// It is older than the known history.
    Before,
    /// Neither its ancestors nor its date are available.
    Unknown,
}

/// A cache of the results for commits of checkouts, so that git is queried once for each.
#[derive(Debug, Default)]
pub(crate) struct Pasts(Mutex<HashMap<(PathBuf, String), Slot>>);

type Slot = Arc<OnceLock<Past>>;

impl Pasts {
    /// The point that represents a commit in the repository whose root is `root`.
    pub(crate) fn of(&self, system: &dyn System, root: &Path, sha: &str) -> Past {
        // In a submodule that is not checked out, `git` would use the repository around it.
        if !system.is_repository(root) {
            return Past::Unknown;
        }
        let slot = {
            let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(known.entry((root.to_owned(), sha.to_owned())).or_default())
        };
        slot.get_or_init(|| past(system, root, sha)).clone()
    }
}

/// The number of ancestors that are read first, which is several times faster than reading all. Git lists the newest first, so the others are older.
const NEAR: usize = 256;

/// The maximum number of ancestors that are read.
const MAX_ANCESTORS: usize = 50_000;

fn past(system: &dyn System, root: &Path, sha: &str) -> Past {
    let mut ancestors = Vec::new();
    for most in [NEAR, MAX_ANCESTORS] {
        let Some(found) = git::ancestors(system, root, sha, most) else { return Past::Unknown };
        if let Some(base) = newest_known(found.iter().map(|commit| commit.sha.as_str())) {
            return by_ancestor(base, sha);
        }
        let is_all = found.len() < most;
        ancestors = found;
        if is_all {
            break;
        }
    }
    let first = History::built_in().commits().next().map(Commit::date).unwrap_or_default();
    // If the ancestors go back further than the history but none of them is in it, the branch began before the history.
    if !git::is_shallow(system, root) && ancestors.last().is_some_and(|oldest| oldest.date.as_str() < first) {
        return Past::Before;
    }
    ancestors.first().map_or(Past::Unknown, |commit| by_date_alone(sha, &commit.date))
}

/// The base point of the checkout whose root is `root`: that of its commit, or else of its newest known ancestor.
pub(super) fn base_of(system: &dyn System, root: &Path) -> Option<Point> {
    let sha = system.is_repository(root).then(|| git::head(system, root)).flatten()?;
    if let Ok(target) = Target::parse(History::built_in(), &sha) {
        return Some(target.point);
    }
    match past(system, root, &sha) {
        Past::Known(target, Basis::Ancestor { .. }) => Some(target.point),
        _ => None,
    }
}

/// A commit of the known history, or a tagged one beside the main line.
#[derive(Clone, Copy)]
enum KnownCommit {
    Tag(Tag),
    Commit(usize, Commit),
}

impl KnownCommit {
    /// The sort key by age. Among those with the same schema, a later commit is newer, and any commit is newer than a tag.
    fn age(&self) -> (Point, usize) {
        match self {
            Self::Tag(tag) => (tag.point(), 0),
            Self::Commit(index, commit) => (commit.point(), index + 1),
        }
    }
}

/// The newest of these commits that is in the history.
fn newest_known<'s>(shas: impl Iterator<Item = &'s str>) -> Option<KnownCommit> {
    let history = History::built_in();
    let tags = history.tags().map(|tag| (tag.sha(), KnownCommit::Tag(tag)));
    let commits = history.commits().enumerate().map(|(index, commit)| (commit.sha(), KnownCommit::Commit(index, commit)));
    let known: HashMap<String, KnownCommit> = tags.chain(commits).collect();
    shas.filter_map(|sha| known.get(sha).copied()).max_by_key(KnownCommit::age)
}

/// The result for a commit whose newest known ancestor is `base`. After the last commit of the history there may be unknown ones.
fn by_ancestor(base: KnownCommit, sha: &str) -> Past {
    let history = History::built_in();
    let last = history.commits().len();
    let target = match base {
        KnownCommit::Commit(index, _) if index + 1 == last => Target::newer_than(history, short(sha)),
        KnownCommit::Commit(_, commit) => reference::release(&commit.sha()).unwrap_or_else(|| Target::of_commit(history, commit)),
        KnownCommit::Tag(tag) => tag.into(),
    };
    Past::Known(target, Basis::Ancestor { commit: sha.to_owned() })
}

/// The result for a commit of which only the date is known: the main line at that time.
pub(super) fn by_date_alone(sha: &str, date: &str) -> Past {
    let history = History::built_in();
    let Ok(target) = Target::at_date(history, date) else { return Past::Before };
    let commit = history.commits().rev().find(|commit| commit.date() <= date);
    let target = match commit {
        Some(commit) if !target.is_beyond => Target::of_commit(history, commit),
        _ => Target { name: short(sha).to_owned(), ..target },
    };
    Past::Known(target, Basis::Date { commit: sha.to_owned() })
}

pub(super) fn short(sha: &str) -> &str {
    sha.get(..9).unwrap_or(sha)
}
