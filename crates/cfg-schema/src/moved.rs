//! What became of a key after all its moves up to the target.

use crate::{Automatic, Commit, FoundField, History, Kind, Point, find_fields};

/// The result of a key's moves up to the target.
pub struct Moved {
    /// Its new path in a file of the same kind; `None` if it has no replacement.
    pub to: Option<String>,
    /// An explanation for the user.
    pub note: Option<&'static str>,
    /// The point of its first move and the pull request; the day if the move is older than the history.
    first: (Option<Point>, Option<&'static str>, Option<u32>),
    /// Whether the key was removed without a replacement, even if a similar key exists.
    pub is_dropped: bool,
    /// Whether the value has the same meaning at the new path.
    is_safe: bool,
}

/// The maximum number of moves of a key, which no key reaches.
const MAX_STEPS: usize = 8;

impl Moved {
    /// Follows the moves of the key at `path` in a file of `kind` until `target`. `tag` is the `type` of the table that contains the key, or
    /// of the key itself, if it is known: moves of other variants are then ignored.
    pub fn find(history: History, kind: Kind, path: &str, tag: Option<&str>, target: Point) -> Option<Self> {
        let mut found: Option<Self> = None;
        let kind = kind.entrypoint();
        let (mut kind_now, mut path_now, mut since) = (kind, path.to_owned(), None);
        for _ in 0..MAX_STEPS {
            let leaves = |change: &str| matches!(change, "rename" | "move" | "remove" | "restructure");
            let step = history.moves_of(kind_now, &path_now).find(|step| {
                let is_of_variant = found.is_some() || tag.is_none_or(|tag| is_of(step.pattern(), tag));
                let is_in_time = step.point() >= since && step.point() <= Some(target);
                leaves(step.change()) && step.to() != Some(step.from()) && is_in_time && is_of_variant
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
        if let Some(moved) = &mut found
            && moved.to.as_deref().is_some_and(|to| is_added_after(history, kind, to, target))
        {
            moved.to = None;
        }
        found
    }

    /// The time of the first move, in words.
    pub fn when(&self, history: History) -> String {
        match self.first {
            (Some(point), ..) => when(history, point),
            (None, day, pull_request) => format!("on {}{}", day.unwrap_or("an early day"), by(pull_request)),
        }
    }

    /// Whether its value means the same at its new place.
    pub const fn is_same(&self) -> bool {
        self.is_safe
    }

    /// The new name of the key, if its table and its value stay the same.
    pub fn new_name(&self, key: &str) -> Option<&str> {
        let to = self.to.as_deref().filter(|_| self.is_safe)?;
        let table = |path: &str| path.rsplit_once('.').map(|(table, _)| table.to_owned()).unwrap_or_default();
        (table(to) == table(key)).then(|| to.rsplit('.').next().unwrap_or(to))
    }
}

/// Whether a key is added only after a point. It can't replace a key at that point yet.
fn is_added_after(history: History, kind: Kind, path: &str, point: Point) -> bool {
    let fields = find_fields(history, kind, path);
    !fields.is_empty() && fields.iter().all(|field| field.since().is_some_and(|since| since > point))
}

/// Whether a pattern applies to the variant with this tag, or to all variants.
fn is_of(pattern: &str, tag: &str) -> bool {
    let Some((_, variant)) = pattern.rsplit_once("<type=") else { return true };
    variant.split('>').next() == Some(tag)
}

/// A description of the moves of a key that a file of `kind` does not have at `point`, but has at an earlier or later point.
pub fn at_another_time(history: History, kind: Kind, path: &str, point: Point) -> Option<String> {
    let fields = find_fields(history, kind, path);
    let ended = fields.iter().filter_map(|field| field.until_before(point)).max();
    // Keys are moved together with their table.
    let mut tables = std::iter::successors(Some(path), |path| path.rsplit_once('.').map(|(table, _)| table));
    let moved = tables.find_map(|table| Some((table, Moved::find(history, kind, table, None, point)?)));
    if let Some((table, moved)) = moved.filter(|(table, moved)| *table == path || ended.is_some() && moved.to.is_some()) {
        let since = ended.map_or_else(|| moved.when(history), |ended| when(history, ended));
        let instead = match moved.to {
            Some(to) if !moved.is_dropped => format!("; write `{to}{}` instead", &path[table.len()..]),
            _ => moved.note.map(|note| format!(". {}", note.trim_end_matches('.'))).unwrap_or_default(),
        };
        return Some(format!("`{path}` was removed {since}{instead}"));
    }
    if let Some(ended) = ended {
        return Some(format!("`{path}` was removed {}", when(history, ended)));
    }
    let added = fields.iter().filter_map(FoundField::since).min().filter(|&since| since > point)?;
    Some(format!("the target does not have `{path}` yet: it was added {}", when(history, added)))
}

/// Converts a path of a component's file to a path in a file of `kind`, without variants.
pub fn in_file(kind: Kind, component: Kind, path: &str) -> String {
    let mut whole = String::with_capacity(path.len() + 16);
    if is_inner(kind, component) {
        whole.push_str(component.name());
        whole.push('.');
    }
    parts_of(path).for_each(|part| whole.push_str(part));
    whole
}

/// What comes after [`in_file`] in a path that starts with it; `None` for a path that does not.
pub(crate) fn after_in_file<'p>(path: &'p str, kind: Kind, component: Kind, moved: &str) -> Option<&'p str> {
    let path = if is_inner(kind, component) { path.strip_prefix(component.name())?.strip_prefix('.')? } else { path };
    parts_of(moved).try_fold(path, |path, part| path.strip_prefix(part))
}

/// Whether the file of this kind has the component's keys in a table of their own.
fn is_inner(kind: Kind, component: Kind) -> bool {
    kind == Kind::Rl && component != Kind::Rl
}

/// A path without its variants, in parts.
fn parts_of(path: &str) -> impl Iterator<Item = &str> {
    path.split('<').map(|part| part.split_once('>').map_or(part, |(_, rest)| rest))
}

/// The time of a point as a user would name it: its first release, and the pull request.
pub fn when(history: History, point: Point) -> String {
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
