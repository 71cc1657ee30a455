//! Where a key went, followed over all its moves up to the target.

use cfg_schema::{Automatic, Commit, History, Kind, Point};

/// What became of a key up to the target.
pub(crate) struct Moved {
    /// Its new path in a file of the user's kind.
    pub(crate) to: Option<String>,
    /// What the user has to know.
    pub(super) note: Option<&'static str>,
    /// Its first move: the point, or the day where that lies before the history.
    first: (Option<Point>, Option<&'static str>, Option<u32>),
    /// Whether the key went without anything in its place, even if something is near it.
    pub(super) is_dropped: bool,
    /// Whether the value means the same at its new place.
    is_safe: bool,
}

/// Longer chains than any key has.
const MAX_STEPS: usize = 8;

impl Moved {
    /// Follows the key at `path` of a file of `kind` until `target`.
    pub(crate) fn find(history: History, kind: Kind, path: &str, target: Point) -> Option<Self> {
        let mut found: Option<Self> = None;
        let (mut kind_now, mut path_now, mut since) = (kind, path.to_owned(), None);
        for _ in 0..MAX_STEPS {
            let leaves = |change: &str| matches!(change, "rename" | "move" | "remove" | "restructure");
            let step = history.moves_of(kind_now, &path_now).find(|step| {
                leaves(step.change()) && step.to() != Some(step.from()) && step.point() >= since && step.point() <= Some(target)
            });
            let Some(step) = step else { break };
            let moved = found.get_or_insert_with(|| Self {
                to: None,
                note: None,
                first: (step.point(), step.date(), step.pull_request()),
                is_dropped: false,
                is_safe: true,
            });
            moved.is_safe &= step.automatic() == Automatic::Safe && step.value() == "copy";
            moved.is_dropped = step.change() == "remove";
            moved.note = step.note().or(moved.note);
            let Some((to_kind, to)) = step.to() else {
                moved.to = None;
                break;
            };
            moved.to = Some(in_file(kind, to_kind, to));
            to.clone_into(&mut path_now);
            (kind_now, since) = (to_kind, step.point());
        }
        found
    }

    /// When it first moved, in words.
    pub(super) fn when(&self, history: History) -> String {
        match self.first {
            (Some(point), ..) => when(history, point),
            (None, day, pull_request) => format!("on {}{}", day.unwrap_or("an early day"), by(pull_request)),
        }
    }

    /// The new key, where it is all that changes: the table and the value stay.
    pub(super) fn new_name(&self, key: &str) -> Option<&str> {
        let to = self.to.as_deref().filter(|_| self.is_safe)?;
        let table = |path: &str| path.rsplit_once('.').map(|(table, _)| table.to_owned()).unwrap_or_default();
        (table(to) == table(key)).then(|| to.rsplit('.').next().unwrap_or(to))
    }
}

/// The name that the target has for a key that is named otherwise later.
pub(super) fn former_name(history: History, kind: Kind, path: &str, target: Point) -> Option<String> {
    let is_rename = |change: &str| matches!(change, "rename" | "move");
    let step = history.moves().find(|step| {
        is_rename(step.change())
            && step.point() > Some(target)
            && step.to().is_some_and(|(to_kind, to)| in_file(kind, to_kind, to) == path)
    })?;
    let (from_kind, from) = step.from();
    Some(in_file(kind, from_kind, from))
}

/// A path of a component's file as it is written in a file of `kind`; variants are no part of what is written.
fn in_file(kind: Kind, component: Kind, path: &str) -> String {
    let parts: Vec<&str> = path.split('<').map(|part| part.split_once('>').map_or(part, |(_, rest)| rest)).collect();
    let path = parts.concat();
    if kind == Kind::Rl && component != Kind::Rl { format!("{component}.{path}") } else { path }
}

/// When a point was, as a user would say it: by the release that has it first, and the pull request.
pub(super) fn when(history: History, point: Point) -> String {
    let commit = history.commit_of(point);
    let by = by(commit.and_then(Commit::pull_request));
    match history.first_release_with(point) {
        Some(release) => format!("in {}{by}", release.name()),
        None => format!("on main on {}{by}", commit.map(Commit::day).unwrap_or_default()),
    }
}

fn by(pull_request: Option<u32>) -> String {
    pull_request.map(|number| format!(" by #{number}")).unwrap_or_default()
}
